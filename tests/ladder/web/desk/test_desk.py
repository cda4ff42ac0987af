"""The desks of authors and organisers: actions and permissions."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from damrak_ladder.accounts import devices
from damrak_ladder.accounts.models import ApiToken
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.bots.lifecycle import advance
from damrak_ladder.bots.models import Bot, ConnectToken, Kind, State, Version
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import (
    Block,
    BlockState,
    Host,
    Ladder,
    Match,
    MatchTimings,
    SeatLog,
    SeatResult,
)
from damrak_ladder.matches.timings import Timings, pack
from damrak_ladder.message_codes.catalogue.labels import FAULTS
from damrak_ladder.message_codes.journey_codes import GameCrash, GamePlace
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.notices.models import Notice, Rule, Webhook
from damrak_ladder.trials.models import Canary, Trial, TrialBlock
from ladder.people import NOW, somebody
from ladder.sites import fill_recently
from ladder.visitors import page, queries_of, visitor

CRASH = GameCrash(GamePlace(1, 1, 1))
EMPTY = ["/desk/", "/desk/submit/", "/desk/remote/", "/desk/tests/", "/desk/tokens/"]
EMPTY += ["/desk/notices/", "/device/", "/accounts/email/", "/accounts/2fa/"]
OWN = ["/desk/", "/desk/bots/canal-rat/", "/desk/bots/canal-rat/2/", "/desk/bots/canal-rat/3/"]
OWN += ["/desk/bots/canal-rat/2/live/"]


@pytest.mark.usefixtures("database")
def test_an_empty_desk_explains_the_first_steps():
    client = visitor(somebody())
    for path in EMPTY:
        page(client, path)
    assert "damrak submit my_bot" in page(client, "/desk/")


@pytest.mark.usefixtures("database")
def test_the_desk_requires_a_login():
    for path in [*EMPTY, "/organise/"]:
        response = visitor().get(f"/en{path}")
        assert response.status_code == 302
        assert "/accounts/login/" in response.headers["Location"]


@pytest.mark.usefixtures("database")
def test_internal_details_are_for_the_owner_and_staff():
    fill_recently(blocks=6)
    log = SeatLog.objects.filter(seat__version__bot__slug="canal-rat").first()
    assert log is not None
    inside = f"/matches/{log.seat.match_id}/seats/{log.seat.number}/log/"
    for name in ("ada", "sam"):
        client = visitor(name)
        assert "I like quays" in page(client, inside)
        for path in OWN:
            page(client, path)
        assert max(queries_of(client, path) for path in OWN) <= 20
    stranger = visitor("bo")
    page(stranger, inside, status=404)
    page(visitor(), inside, status=404)
    for path in OWN[1:]:
        page(stranger, path, status=403)
    assert "canal-rat" not in page(stranger, "/desk/")
    page(stranger, "/organise/", status=403)


@pytest.mark.usefixtures("database")
def test_a_version_goes_live_after_confirmation_and_back():
    fill_recently(blocks=0)
    client = visitor("ada")
    before, after = Version.objects.filter(bot__slug="canal-rat", number__in=(1, 2)).order_by(
        "number"
    )
    question = "/en/desk/bots/canal-rat/2/live/"
    assert "plays instead of version 1" in page(client, question.removeprefix("/en"))
    assert Bot.objects.get(slug="canal-rat").live_id == before.pk
    client.post(question, {"expected": before.pk})
    assert Bot.objects.get(slug="canal-rat").live_id == after.pk
    late = client.post(question, {"expected": before.pk}, follow=True)
    assert "Another version has gone live in the meantime" in late.content.decode()
    wrong = client.post(question, {"expected": "9" * 30}, follow=True)
    assert "Another version has gone live in the meantime" in wrong.content.decode()
    client.post("/en/desk/bots/canal-rat/1/live/", {"expected": after.pk})
    assert Bot.objects.get(slug="canal-rat").live_id == before.pk
    failed = client.post("/en/desk/bots/canal-rat/3/live/", {"expected": before.pk}, follow=True)
    assert "Only a qualified version" in failed.content.decode()


@pytest.mark.usefixtures("database")
def test_a_journey_refreshes_while_it_may_continue():
    fill_recently(blocks=0)
    client = visitor("ada")
    assert 'hx-trigger="every 2s"' in page(client, "/desk/bots/canal-rat/4/")
    assert "hx-trigger" not in page(client, "/desk/bots/canal-rat/2/")
    part = client.get("/en/desk/bots/canal-rat/4/", headers={"HX-Request": "true"})
    assert part.content.decode().strip().startswith('<section id="journey"')


@pytest.mark.usefixtures("database")
def test_a_token_is_shown_once_and_revoked_after_confirmation():
    ann = somebody()
    client = visitor(ann)
    form = {"name": "laptop", "scopes": ["read", "submit"], "days": "30"}
    made = client.post("/en/desk/tokens/", form)
    token = ApiToken.objects.get(owner=ann)
    assert made.headers["Cache-Control"] == "no-store"
    assert made.content.decode().count("damrak_") >= 1
    assert token.hint in page(client, "/desk/tokens/")
    assert (
        "You already have a token named laptop"
        in client.post("/en/desk/tokens/", form).content.decode()
    )
    question = f"/desk/tokens/{token.pk}/revoke/"
    page(visitor(somebody("bob")), question, status=404)
    assert "This cannot be undone" in page(client, question)
    client.post(f"/en{question}")
    token.refresh_from_db()
    assert token.revoked is not None


@pytest.mark.process
@pytest.mark.usefixtures("database")
def test_an_archive_is_submitted_by_page_or_refused_with_the_reason():
    ann = somebody()
    client = visitor(ann)
    refused = client.post(
        "/en/desk/submit/", {"name": "canal", "archive": SimpleUploadedFile("x.zip", b"no archive")}
    )
    assert refused.status_code == 200
    assert 'class="errorlist"' in refused.content.decode()
    assert not Version.objects.filter(bot__owner=ann).exists()
    wrong = client.post("/en/desk/submit/", {"name": "A B", "archive": _archive()})
    assert "Use only lower-case letters" in wrong.content.decode()
    bob = visitor(somebody("bob"))
    for who, name in ((bob, "canal"), (client, "house-boat")):
        taken = who.post("/en/desk/submit/", {"name": name, "archive": _archive()})
        assert "There is already a bot named" in taken.content.decode()
    made = client.post("/en/desk/submit/", {"name": "canal", "archive": _archive()})
    assert made.headers["Location"] == "/en/desk/bots/canal/1/"


@pytest.mark.usefixtures("database")
def test_a_remote_bot_gets_its_token_once_and_may_try_again_with_it():
    ann = somebody()
    client = visitor(ann)
    made = client.post("/en/desk/remote/", {"name": "tram", "software": "tram 1.0", "note": "hi"})
    token = ConnectToken.objects.get(bot__slug="tram", revoked=None)
    assert token.hint in made.content.decode()
    failed = Version.objects.get(bot__slug="tram")
    advance(failed.pk, State.QUALIFYING, State.FAILED, timezone.now(), CRASH)
    assert "Fix it on your machine" in page(client, "/desk/bots/tram/1/")
    for _ in range(2):  # a double click has the effect of one
        assert client.post("/en/desk/bots/tram/1/again/").status_code == 302
    failed.refresh_from_db()
    assert (failed.state, failed.trials.count()) == (State.QUALIFYING, 2)
    assert ConnectToken.objects.get(bot__slug="tram") == token
    assert "Fix it on your machine" not in page(client, "/desk/bots/tram/1/")
    again = client.post("/en/desk/remote/", {"bot": "tram", "software": "tram 1.0"})
    assert "The content is the same as that of version" in again.content.decode()
    stolen = visitor(somebody("bob")).post(
        "/en/desk/remote/", {"bot": "tram", "software": "tram 2.0"}
    )
    assert "Select a valid choice" in stolen.content.decode()


@pytest.mark.usefixtures("database")
def test_a_test_is_started_shown_and_cancelled():
    fill_recently(blocks=0)
    client = visitor("ada")
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    form = {"candidate": version.pk, "elo1": 30, "most": 100}
    form["ladder"] = Ladder.objects.get(slug="amsterdam").pk
    nobody = client.post("/en/desk/tests/", form | {"rival": "nobody"})
    assert "There is no bot of that name" in nobody.content.decode()
    client.post("/en/desk/tests/", form | {"rival": "house-greedy"})
    trial = Trial.objects.get()
    assert "No block has been played yet" in page(client, f"/desk/tests/{trial.pk}/")
    page(client, "/desk/tests/")
    block = book(Table((trial.candidate, trial.baseline), "practice", "test", "x"), bytes(32), NOW)
    TrialBlock.objects.create(trial=trial, block=block)
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD)
    told = f"Its block {block.pk} could not be played. The operators have been notified."
    assert told in page(client, f"/desk/tests/{trial.pk}/")
    page(visitor("bo"), f"/desk/tests/{trial.pk}/", status=404)
    page(client, f"/desk/tests/{trial.pk}/cancel/")
    client.post(f"/en/desk/tests/{trial.pk}/cancel/")
    trial.refresh_from_db()
    assert trial.state == "cancelled"


@pytest.mark.usefixtures("database")
def test_many_versions_are_shown_page_by_page():
    now = fill_recently(blocks=0)
    bot = Bot.objects.get(slug="canal-rat")
    Version.objects.bulk_create(
        Version(
            bot=bot,
            number=number,
            kind="uploaded",
            content=f"{number:064}",
            created=now,
            changed=now,
        )
        for number in range(10, 61)
    )
    first = page(visitor("ada"), "/desk/bots/canal-rat/")
    assert [f">v{number}<" in first for number in (60, 11, 10, 1)] == [True, True, False, False]
    [link] = re.findall(r'href="(\?before=[^"]+)"', first)
    rest = page(visitor("ada"), f"/desk/bots/canal-rat/{link}")
    assert [f">v{number}<" in rest for number in (60, 11, 10, 1)] == [False, False, True, True]
    assert 'href="?before=' not in rest


@pytest.mark.usefixtures("database")
def test_a_canary_begins_and_ends_by_a_button():
    fill_recently(blocks=0)
    client = visitor("ada")
    path = "/en/desk/bots/canal-rat/2/canary/"
    assert client.get(path).status_code == 405
    client.post(path, {"do": "begin"})
    assert set(Canary.objects.values_list("state", flat=True)) == {"running"}
    page(client, "/desk/bots/canal-rat/2/")
    client.post(path, {"do": "end"})
    assert set(Canary.objects.values_list("state", flat=True)) == {"cancelled"}


@pytest.mark.usefixtures("database")
def test_notices_are_read_and_their_rules_kept(monkeypatch):
    public = Postman(False, resolve=lambda host, port: ["93.184.215.14"])
    monkeypatch.setattr("damrak_ladder.notices.webhooks.own_postman", lambda: public)
    fill_recently(blocks=0)
    client = visitor("ada")
    text = page(client, "/desk/notices/")
    assert "has failed to qualify" in text
    client.post("/en/desk/notices/read/")
    assert not Notice.objects.filter(user__username="ada", read=None).exists()
    client.post("/en/desk/notices/rules/", {"wanted": ["failed:site", "nonsense:mail"]})
    said = {(rule.kind, rule.channel): rule.is_wanted for rule in Rule.objects.all()}
    assert said["qualified", "mail"] is False
    assert ("failed", "site") not in said  # as by default
    new = {"url": "https://example.org/hook", "target": "text"}
    made = client.post("/en/desk/webhooks/", new)
    assert "Copy the secret now" in made.content.decode()
    assert Webhook.objects.get().url == new["url"]
    again = client.post("/en/desk/webhooks/", new)  # there is one; its own form changes it
    assert "Copy the secret now" not in again.content.decode()
    changed = client.post(
        "/en/desk/notices/webhook/", {"do": "set", "url": "https://example.org/other"}
    )
    assert "Copy the secret now" in changed.content.decode()
    assert Webhook.objects.get().url == "https://example.org/other"
    assert "example.org/other" in page(client, "/desk/webhooks/")
    bad = client.post("/en/desk/notices/webhook/", {"do": "set", "url": "ftp://example.org"})
    assert 'role="alert"' in bad.content.decode()
    long = client.post(
        "/en/desk/notices/webhook/", {"do": "set", "url": f"https://example.org/{'h' * 500}"}
    )
    assert "The address is too long." in long.content.decode()  # and not truncated to another
    client.post("/en/desk/notices/webhook/", {"do": "remove"})
    assert not Webhook.objects.exists()


@pytest.mark.usefixtures("database")
def test_a_program_is_let_in_by_a_form_only():
    ann = somebody()
    client = visitor(ann)
    codes = devices.begin("my laptop", "192.0.2.1", timezone.now())
    asked = page(client, f"/device/?code={codes.short}")
    assert "my laptop" in asked
    assert "192.0.2.1" in asked
    assert "No request has this code" in page(client, "/device/?code=XXXX-XXXX")
    done = client.post("/en/device/", {"code": codes.short, "approve": "1"})
    assert "now has access to your account" in done.content.decode()
    token, _ = devices.collect(codes.long, timezone.now())
    assert token.owner == ann
    other = devices.begin("thief", "198.51.100.7", timezone.now())
    done = client.post("/en/device/", {"code": other.short, "refuse": "1"})
    assert "was denied access" in done.content.decode()


@pytest.mark.usefixtures("database")
def test_organisers_requeue_blocks_and_lift_quarantines():
    fill_recently(blocks=0)
    olga = somebody("olga")
    grant(olga, Role.ORGANISER)
    client = visitor(olga)
    dead = Block.objects.get(state=BlockState.DEAD)
    host = Host.objects.get(name="quay-2")
    assert "the referee went away" in page(client, "/organise/")
    assert client.get(f"/en/organise/blocks/{dead.pk}/requeue/").status_code == 405
    assert visitor("ada").post(f"/en/organise/blocks/{dead.pk}/requeue/").status_code == 403
    client.post(f"/en/organise/blocks/{dead.pk}/requeue/")
    dead.refresh_from_db()
    assert dead.state == BlockState.WAITING
    page(client, f"/organise/hosts/{host.pk}/trust/")
    client.post(f"/en/organise/hosts/{host.pk}/trust/")
    host.refresh_from_db()
    assert host.state == "trusted"
    assert "All hosts are trusted" in page(client, "/organise/")


@pytest.mark.usefixtures("database")
def test_matches_link_logs_only_for_permitted_readers():
    fill_recently(blocks=9)
    match = Match.objects.filter(seats__version__bot__slug="canal-rat").exclude(replay="").first()
    assert match is not None
    assert "/log/" in page(visitor("ada"), f"/matches/{match.pk}/")
    assert "/log/" not in page(visitor(), f"/matches/{match.pk}/")


@pytest.mark.usefixtures("database")
def test_a_bot_enters_and_leaves_ladders():
    fill_recently(blocks=0)
    path = "/en/desk/bots/canal-rat/ladders/amsterdam/"
    rat = Bot.objects.get(slug="canal-rat")
    assert visitor("bo").post(path, {"do": "leave"}).status_code == 403
    client = visitor("ada")
    assert client.get(path).status_code == 405
    client.post(path, {"do": "leave"})
    assert not rat.entries.filter(ladder__slug="amsterdam", left=None).exists()
    client.post(path, {"do": "enter"})
    assert rat.entries.filter(ladder__slug="amsterdam", left=None).exists()


@pytest.mark.usefixtures("database")
def test_a_lost_token_of_a_remote_bot_is_replaced_after_confirmation():
    fill_recently(blocks=0)
    path = "/desk/bots/tulip/token/"
    page(visitor("ada"), path, status=404)
    client = visitor("bo")
    assert "The current token stops working" in page(client, path)
    assert not ConnectToken.objects.exists()
    made = client.post(f"/en{path}")
    assert ConnectToken.objects.get().hint in made.content.decode()


@pytest.mark.usefixtures("database")
def test_a_seat_that_failed_offers_what_repeats_it_and_where_its_time_went():
    fill_recently(blocks=4, replays=1)
    failed = SeatResult.objects.exclude(fault="").filter(
        seat__version__kind=Kind.UPLOADED, seat__version__language="Python"
    )
    seat = failed.select_related("seat__version__bot__owner").earliest("pk").seat
    owner = visitor(seat.version.bot.owner)
    data = pack(Timings((seat.number, 9) * 2, (900,) * 4, (600,) * 4, (100,) * 4))
    MatchTimings.objects.create(match=seat.match, data=data)
    inside = f"/matches/{seat.match_id}/seats/{seat.number}"
    log = page(owner, f"{inside}/log/")
    assert "damrak repro" in log
    assert "2 decisions" in log
    assert "200 µs" in log  # transport is the remainder of 900
    assert log.count('<rect class="thinking"') == 2  # one per decision
    assert 'y="33.33" width=".8" height="66.67"' in log
    version = page(owner, f"/desk/bots/{seat.version.bot.slug}/{seat.version.number}/")
    assert f"/en{inside}/log/" in version
    assert f"{FAULTS[seat.result.fault]}</span></td>" in version
    assert f"{FAULTS[seat.result.fault]}</span></td>" in page(
        visitor(), f"/matches/{seat.match_id}/"
    )
    bundle = owner.get(f"/en{inside}/bundle/")
    assert json.loads(bundle.content)
    assert "attachment" in bundle.headers["Content-Disposition"]
    page(visitor(), f"{inside}/bundle/", status=404)
    others = [one for one in ("ada", "bo", "cleo", "dov") if one != seat.version.bot.owner.username]
    page(visitor(others[0]), f"{inside}/bundle/", status=404)


def _archive() -> SimpleUploadedFile:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.py", "print('hello')\n")
    return SimpleUploadedFile("bot.zip", data.getvalue())
