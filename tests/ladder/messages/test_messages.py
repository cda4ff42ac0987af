"""The translations of the site: none is missing, obsolete or malformed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.contrib.auth.password_validation import get_default_password_validators
from django.utils.translation import ngettext, override

from damrak_ladder.messages.catalogues import (
    LANGUAGES,
    LOCALE,
    PACKAGE,
    compile_all,
    read,
    source_of,
    update,
)
from damrak_ladder.messages.checks import problems
from damrak_ladder.messages.extraction import extract


@pytest.fixture(scope="module")
def template() -> Catalog:
    return extract(PACKAGE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated_and_no_translation_is_left_over(
    language: str, template: Catalog
) -> None:
    """If this fails: `python -m damrak_ladder.messages update`, and add translations."""
    assert list(problems(template, read(language))) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_match_the_output_of_the_command(
    language: str, template: Catalog, tmp_path: Path
) -> None:
    copy = source_of(language, tmp_path)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(source_of(language).read_bytes())
    update(language, read(language), tmp_path)
    assert copy.read_bytes() == source_of(language).read_bytes()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("da", ["1 besked", "2 beskeder"]),
        ("nb", ["1 melding", "2 meldinger"]),
        ("nl", ["1 melding", "2 meldingen"]),
        ("fi", ["1 ilmoitus", "2 ilmoitusta"]),
        ("pl", ["1 powiadomienie", "2 powiadomienia", "5 powiadomień", "12 powiadomień"]),
        ("pl", ["22 powiadomienia", "25 powiadomień", "112 powiadomień", "0 powiadomień"]),
        ("en", ["0 notifications", "1 notification", "2 notifications"]),
    ],
)
def test_numbers_take_the_form_their_language_gives_them(code: str, expected: list[str]) -> None:
    numbers = [int(text.split()[0]) for text in expected]
    with override(code):
        said = [
            ngettext("{count} notification", "{count} notifications", n).format(count=n)
            for n in numbers
        ]
    assert said == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_djangos_password_messages_are_translated(language: str) -> None:
    for validator in get_default_password_validators():
        for said in (validator.get_error_message, validator.get_help_text):
            english = said()
            with override(language):
                assert said() != english


def catalogue(**texts: str) -> Catalog:
    made = Catalog(locale="pl")
    for text, translation in texts.items():
        made.add(text, translation)
    return made


def trouble(text: str | tuple[str, str], translation: str | tuple[str, ...] | None) -> list[str]:
    """Return the errors of one text and its translation into Polish."""
    original, translated = Catalog(), Catalog(locale="pl")
    original.add(text)
    if translation is not None:
        translated.add(text, translation)
    return [line.partition(":")[0] for line in problems(original, translated)]


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("Yes", "Tak", []),
        ("Yes", None, ["missing"]),
        ("Yes", "", ["untranslated"]),
        ("%(n)s games", "%(n)s gier", []),
        ("%(n)s games", "gier", ["other variables"]),
        ("{n} games", "{m} gier", ["other variables"]),
        ("Yes\n", "Tak", ["other line ends"]),
        (("{n} game", "{n} games"), ("{n} gra", "{n} gry", "{n} gier"), []),
        (("One game", "{n} games"), ("Jedna gra", "{n} gry", "{n} gier"), []),
        (("{n} game", "{n} games"), ("{n} gra", "{n} gry", ""), ["untranslated"]),
        (("{n} game", "{n} games"), ("{n} gra", "{n} gry", "gier"), ["other variables"]),
    ],
)
def test_a_check_finds(
    text: str | tuple[str, str], translation: str | tuple[str, ...] | None, expected: list[str]
) -> None:
    assert trouble(text, translation) == expected


def test_a_check_finds_leftovers_and_doubtful_entries() -> None:
    assert list(problems(Catalog(), catalogue(Old="Stare"))) == ["unused: 'Old'"]
    original, doubtful = catalogue(Yes=""), Catalog(locale="pl")
    doubtful.add("Yes", "Nie", flags=["fuzzy"])
    assert list(problems(original, doubtful)) == ["fuzzy: 'Yes'"]


def test_texts_are_found_in_python_and_in_templates(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('x = _("one")\ny = ngettext("two", "twos", n)\nz = "none"\n')
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "b.html").write_text(
        """{% load i18n %}<p title="{% translate "three" %}">{% blocktranslate trimmed %}
             four {{ four }}
           {% endblocktranslate %}
           {% blocktranslate count n=x %}five{% plural %}{{ n }} fives{% endblocktranslate %}
           {% translate "May" context "month" %}{{ x|default:_("six") }}"""
    )
    found = {(message.id, message.context) for message in extract(tmp_path) if message.id}
    assert found == {
        ("one", None),
        (("two", "twos"), None),
        ("three", None),
        ("four %(four)s", None),
        (("five", "%(n)s fives"), None),
        ("May", "month"),
        ("six", None),
    }


def test_only_what_has_changed_is_compiled(tmp_path: Path) -> None:
    source = source_of("pl", tmp_path)
    source.parent.mkdir(parents=True)
    source.write_bytes(source_of("pl").read_bytes())
    assert [path.name for path in compile_all(tmp_path)] == ["django.mo"]
    assert list(compile_all(tmp_path)) == []
    later = source.stat().st_mtime_ns + 10**10
    os.utime(source, ns=(later, later))
    assert len(list(compile_all(tmp_path))) == 1


def test_every_catalogue_that_is_there_is_of_a_language_of_the_site() -> None:
    assert {path.name for path in LOCALE.iterdir()} == set(LANGUAGES)
