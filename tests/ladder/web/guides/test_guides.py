"""Guides: the rules in six languages, the documents, and language-dependent forms."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from markdown_it import MarkdownIt

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.rules import rules_of
from damrak_ladder.notices.unsubscribe import stop_path
from damrak_ladder.web.guides.figures import FIGURES
from damrak_ladder.web.guides.library import library, rules_in
from damrak_ladder.web.guides.markdown import render
from ladder.people import somebody

CODES = [code for code, _ in settings.LANGUAGES]
CLAUSES = [f"R{number}" for number in range(1, 53)]
ROW = re.compile(r"^\| (R\d+) \| (\w+) \| (.+) \|$", re.MULTILINE)
RULING = re.compile(r"^\*\*(C-[a-z]2?) · ", re.MULTILINE)
REFERENCE = re.compile(r"\b(?:R\d+|C-[a-z]2?)\b")
NUMBER = re.compile(r"\d+")
THOUSANDS = re.compile(r"(?<=\d)[,. \u00a0](?=\d{3}\b)")
CODE = re.compile(r"`([^`]+)`")
MARK = re.compile(r"(?<!\*)\*(?!\*)([^*]+)(?<!\*)\*(?!\*)")
LINK = re.compile(r"\]\((?:\.\./)?([^)]+)\)")
HOST = "127.0.0.1"


def text_in(language: str) -> str:
    name, found = rules_in(language)
    assert found == language, f"there are no rules in {language}"
    return library().documents[name].read_text("utf-8")


def numbers_in(text: str) -> list[str]:
    return sorted(NUMBER.findall(THOUSANDS.sub("", text)))


def rulings_in(language: str) -> dict[str, str]:
    """Return the whole paragraph of each ruling."""
    paragraphs = text_in(language).split("\n\n")
    return {found[1]: part for part in paragraphs if (found := RULING.match(part))}


def section_of(language: str, number: int) -> str:
    return re.split(r"^## \d\. .+\n", text_in(language), flags=re.MULTILINE)[number]


def table_in(section: str) -> list[list[str]]:
    """Return the cells of each row of the table, without its header."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def get(address: str, **headers: str) -> tuple[int, str]:
    answer = Client(SERVER_NAME=HOST, headers=headers).get(address)
    return answer.status_code, answer.content.decode()


# --- the texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", CODES)
def test_every_clause_is_there_once_and_in_order(language: str) -> None:
    rows = ROW.findall(text_in(language))
    assert [number for number, _, _ in rows] == CLAUSES
    english = ROW.findall(text_in("en"))
    assert [name for _, name, _ in rows] == [name for _, name, _ in english]


@pytest.mark.parametrize("language", CODES)
def test_every_ruling_is_there_once_and_in_order(language: str) -> None:
    rulings = RULING.findall(text_in(language))
    assert rulings == RULING.findall(text_in("en"))
    assert len(set(rulings)) == len(rulings) == 24


@pytest.mark.parametrize("language", CODES)
def test_clauses_have_the_numbers_of_the_english_ones(language: str) -> None:
    english = {number: text for number, _, text in ROW.findall(text_in("en"))}
    for number, _, text in ROW.findall(text_in(language)):
        references = set(REFERENCE.findall(english[number]))
        assert set(REFERENCE.findall(text)) == references, number
        assert sorted(NUMBER.findall(text)) == sorted(NUMBER.findall(english[number])), number


@pytest.mark.parametrize("language", CODES)
def test_a_translation_has_every_part_of_the_english_rules(language: str) -> None:
    """Headings, paragraphs, list items, tables and their rows: equally many, in the same order."""

    def parts(code: str) -> list[str]:
        tokens = MarkdownIt("commonmark").enable("table").parse(text_in(code))
        return [one.type + one.tag for one in tokens if not re.match("t[dh]_|inline", one.type)]

    assert parts(language) == parts("en")
    numbered = re.compile(r"^##+ (\d[\d.]*) ", re.MULTILINE)
    assert numbered.findall(text_in(language)) == numbered.findall(text_in("en"))


@pytest.mark.parametrize("language", CODES)
def test_a_ruling_matches_the_english_one(language: str) -> None:
    """Its options with all their values, its reasons, references to rules, and numbers."""
    ours, english = rulings_in(language), rulings_in("en")
    assert ours.keys() == english.keys()
    words = set[str]()
    for letter, text in english.items():
        assert CODE.findall(ours[letter]) == CODE.findall(text), letter
        assert set(REFERENCE.findall(ours[letter])) == set(REFERENCE.findall(text)), letter
        assert numbers_in(ours[letter]) == numbers_in(text), letter
        assert len(MARK.findall(ours[letter])) == len(MARK.findall(text)), letter
        words |= set(MARK.findall(ours[letter]))
    assert len(words) == 2, "one word for an option and one for a reason"


@pytest.mark.parametrize("language", CODES)
def test_the_options_are_there_in_every_language(language: str) -> None:
    ours, english = table_in(section_of(language, 7)), table_in(section_of("en", 7))
    assert len(english) == 17
    for (name, values, text), (their_name, their_values, their_text) in zip(
        ours, english, strict=True
    ):
        assert name == their_name
        assert CODE.findall(values) == CODE.findall(their_values), name
        assert REFERENCE.findall(text) == REFERENCE.findall(their_text), name


@pytest.mark.parametrize("language", CODES)
def test_the_words_are_explained_in_every_language(language: str) -> None:
    ours, english = table_in(section_of(language, 8)), table_in(section_of("en", 8))
    assert [cells[0] for cells in ours] == [cells[0] for cells in english]
    assert all(all(cells) for cells in ours)


@pytest.mark.parametrize(
    ("language", "printed", "other"),
    [
        ("da", "handelsvarekort", r"(?<!handels)varekort"),
        ("nb", "varebonuskort", r"varekort"),
        ("nl", "handelsbonuskaart", r"goederenkaart|goederenbonus"),
        ("fi", "kauppatavarabonuskort", r"kauppatavarakort"),
        ("pl", "bonusowa karta Towarów", r"\b(?!bonusow)\w+ kart\w* Towarów"),
    ],
)
def test_bonus_cards_have_the_name_of_the_printed_rulebook(
    language: str, printed: str, other: str
) -> None:
    catalogue = Path(settings.LOCALE_PATHS[0], language, "LC_MESSAGES", "django.po")
    texts = [text_in(language), catalogue.read_text("utf-8")]
    for text in (" ".join(text.split()) for text in texts):
        assert printed in text
        assert not re.findall(other, text, re.IGNORECASE)
    assert printed in library().documents["glossary"].read_text("utf-8")


@pytest.mark.parametrize("language", [code for code in CODES if code != "en"])
def test_a_translation_leads_to_the_same_documents(language: str) -> None:
    def others(code: str) -> set[str]:
        return {name for name in LINK.findall(text_in(code)) if not name.startswith("rules")}

    assert others(language) == others("en")


@pytest.mark.parametrize("language", CODES)
def test_all_examples_are_drawn_in_the_same_places(language: str) -> None:
    shown = re.findall(r"!\[(.+)\]\(\S*images/rules/(\w+)\.svg\)", text_in(language))
    english = re.findall(r"!\[(.+)\]\(\S*images/rules/(\w+)\.svg\)", text_in("en"))
    assert [name for _, name in shown] == [name for _, name in english]
    assert {name for _, name in shown} == set(FIGURES)


@pytest.mark.parametrize("language", CODES)
def test_tables_of_examples_agree(language: str) -> None:
    example = re.compile(r"\d(?:,\d)+: \d(?:,\d)+")
    assert example.findall(text_in(language)) == example.findall(text_in("en"))


def test_rules_are_translated_and_not_repeated() -> None:
    for first, second in pairwise(CODES):
        ours, theirs = ROW.findall(text_in(first)), ROW.findall(text_in(second))
        same = [a[0] for a, b in zip(ours, theirs, strict=True) if a[2] == b[2]]
        assert len(same) <= 1, (first, second, same)  # Danish and Norwegian are close
        alike = rulings_in(first).items() & rulings_in(second).items()
        assert not alike, (first, second, alike)
        for number in (7, 8):
            lines = [table_in(section_of(code, number)) for code in (first, second)]
            same = [a[0] for a, b in zip(*lines, strict=True) if a[-1] == b[-1]]
            assert len(same) <= 2, (first, second, same)


@pytest.mark.parametrize("name", FIGURES)
def test_pictures_are_as_drawn(name: str) -> None:
    """If this fails: `python -m damrak_ladder.web.guides.figures docs/images/rules`."""
    assert library().pictures[f"images/rules/{name}.svg"].read_text("utf-8") == FIGURES[name]()


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("language", CODES)
def test_the_rules_have_a_page_in_every_language(language: str) -> None:
    status, page = get(f"/{language}/rules/")
    assert status == 200
    assert f'<html lang="{language}"' in page
    for clause in (*CLAUSES, *RULING.findall(text_in("en"))):
        assert page.count(f'id="{clause}"') == 1, clause
    assert page.count('src="/documents/images/rules/') == len(FIGURES)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("wanted", "language"), [("da", "da"), ("pl-PL,en;q=0.5", "pl"), ("sv", "en"), ("nb-NO", "nb")]
)
def test_an_address_without_a_language_leads_to_that_of_the_browser(
    wanted: str, language: str
) -> None:
    answer = Client(SERVER_NAME=HOST).get("/rules/", headers={"accept-language": wanted})
    assert answer.status_code == 302
    assert answer["Location"] == f"/{language}/rules/"
    assert "Accept-Language" in answer["Vary"]


@pytest.mark.usefixtures("database")
def test_every_document_has_a_page_and_its_links_lead_somewhere() -> None:
    client = Client(SERVER_NAME=HOST)
    client.cookies["django_language"] = "da"
    seen = set()
    for name in library().documents:
        if name.startswith("rules"):
            continue
        answer = client.get(f"/da/docs/{name}/")
        assert answer.status_code == 200, name
        article = answer.content.decode().partition('<article class="guide__text')[2]
        assert article.startswith(' prose" lang="en">'), name
        seen |= set(re.findall(r'(?:href|src)="(/[^"#]+)', article.partition("</article>")[0]))
    assert {"/en/rules/", "/da/docs/replay/", "/documents/images/amsterdam.svg"} <= seen
    for address in sorted(seen):
        assert client.get(address).status_code == 200, address


@pytest.mark.usefixtures("database")
def test_the_list_of_documents_names_them_all() -> None:
    _, page = get("/en/docs/")
    for name in library().documents:
        if not name.startswith("rules"):
            assert f'href="/en/docs/{name}/"' in page


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "address",
    [
        "/en/docs/nothing/",
        "/en/docs/../pyproject/",
        "/en/docs/%2e%2e/README/",
        "/en/docs//etc/passwd/",
        "/documents/rules.md",
        "/documents/../pyproject.toml",
        "/documents/images/nothing.svg",
    ],
)
def test_nothing_else_can_be_read(address: str) -> None:
    assert get(address)[0] == 404


def test_a_picture_request_is_read_only() -> None:
    answer = Client(SERVER_NAME=HOST).get("/documents/images/rules/claim.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"


# --- rendering -----------------------------------------------------------------------------------


def rendered(tmp_path: Path, text: str) -> str:
    path = tmp_path / "a.md"
    path.write_text(text)
    places = {"b.md": "/b/", "folder/c.svg": "/c"}
    return render(path, "folder/a", places.get).html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>x</script>", "&lt;script&gt;"),
        ("a <b onclick=x>b</b>", "&lt;b onclick=x&gt;"),
        ("[x](../b.md#part)", '<a href="/b/#part">x</a>'),
        ("![x](c.svg)", '<img src="/c" alt="x" loading="lazy" />'),
        ("[x](../../secret.md)", "<span>x</span>"),
        ("[x](#here)", '<a href="#here">x</a>'),
        ("[x](https://example.org/)", 'rel="noopener noreferrer"'),
        ("## A `b` c!\n\n## A b c", '<h2 id="a-b-c">A <code>b</code> c!</h2>'),
        ("## A\n\n## A", '<h2 id="a-1">A</h2>'),
        ("|a|\n|-:|\n|1|", '<td class="end">1</td>'),
        ("|a|\n|-|\n|R17|", '<td id="R17" class="clause">R17</td>'),
        ("|a|b|\n|-|-|\n|R7|see R7|", '<td>see <a href="#R7">R7</a></td>'),
        ("see R8", "<p>see R8</p>"),
        ("**C-a2 · X** y", '<p id="C-a2" class="clause"><strong>'),
    ],
)
def test_a_document_is_rendered(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in rendered(tmp_path, text)


@pytest.mark.parametrize("text", ["[x](javascript:alert(1))", "![x](data:text/html,x)"])
def test_no_link_runs_anything(tmp_path: Path, text: str) -> None:
    assert not re.search(r'(?:href|src)="[^"]', rendered(tmp_path, text))


# --- languages -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("database")
def test_changing_the_language_keeps_the_page() -> None:
    client = Client(SERVER_NAME=HOST, enforce_csrf_checks=True)
    answer = client.post("/language/", {"language": "fi", "next": "/da/rules/?a=b"})
    assert answer.status_code == 302
    assert answer["Location"] == "/fi/rules/?a=b"
    assert client.get("/rules/")["Location"] == "/fi/rules/"


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("code", "place", "location"),
    [
        ("xx", "/da/rules/", "/da/rules/"),
        ("da", "https://evil.example/", "/"),
        ("da", "//evil.example/", "/"),
        ("da", "", "/"),
    ],
)
def test_redirects_stay_on_the_site(code: str, place: str, location: str) -> None:
    answer = Client(SERVER_NAME=HOST).post("/language/", {"language": code, "next": place})
    assert answer["Location"] == location


@pytest.mark.usefixtures("database")
def test_notices_follow_the_language_that_was_chosen() -> None:
    ann = somebody()
    client = Client(SERVER_NAME=HOST)
    client.force_login(ann)
    client.post("/language/", {"language": "pl", "next": "/en/rules/"})
    assert User.objects.get().language == "pl"


@pytest.mark.usefixtures("database")
def test_registration_uses_the_language_of_the_form() -> None:
    form = {"email": "liisa@example.org", "username": "liisa"}
    form |= {"password1": "kärryt ja kanavat", "password2": "kärryt ja kanavat"}
    answer = Client(SERVER_NAME=HOST).post("/fi/accounts/signup/", form)
    assert answer.status_code == 302
    assert User.objects.get().language == "fi"
    [message] = mail.outbox
    assert "sähköpostiosoit" in message.body


@pytest.mark.usefixtures("database")
def test_a_link_in_a_mail_asks_before_it_ends_anything() -> None:
    ann = somebody()
    User.objects.filter(pk=ann.pk).update(language="nl")
    client = Client(SERVER_NAME=HOST, enforce_csrf_checks=True)
    page = client.get(stop_path(ann))
    assert page.status_code == 200
    assert '<html lang="nl"' in page.content.decode()
    assert any(Channel.MAIL in row.wanted for row in rules_of(ann))
    # A mail program sends this automatically.
    client.post(stop_path(ann), {"List-Unsubscribe": "One-Click"})
    assert not any(Channel.MAIL in row.wanted for row in rules_of(ann))
    assert client.get("/notices/stop/1:forged/").status_code == 404


@pytest.mark.usefixtures("database")
def test_a_page_names_itself_in_the_other_languages() -> None:
    _, page = get("/da/docs/boards/")
    found = dict(re.findall(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]+)">', page))
    assert list(found) == [*CODES, "x-default"]
    assert found["pl"] == f"{settings.DAMRAK_URL}/pl/docs/boards/"
    assert found["x-default"] == f"{settings.DAMRAK_URL}/docs/boards/"


@pytest.mark.usefixtures("database")
def test_a_page_without_a_language_names_no_others() -> None:
    _, page = get(stop_path(somebody()))
    assert "hreflang" not in page
