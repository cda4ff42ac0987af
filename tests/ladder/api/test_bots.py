"""API requests that require a token: bots, versions, their lifecycle, and permissions."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import Scope
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.api import access
from damrak_ladder.bots.lifecycle import advance
from damrak_ladder.bots.models import Bot, ConnectToken, State, Step, Version
from damrak_ladder.matches.models import Block, Purpose
from damrak_ladder.message_codes.journey_codes import GameCrash, GamePlace, Superseded
from damrak_ladder.pipeline import submission
from ladder.calls import MEMORY, Program, archive_with, problem_of
from ladder.people import somebody

CRASH = GameCrash(GamePlace(1, 1, 1))


@pytest.fixture(autouse=True)
def _in_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with override_settings(CACHES=MEMORY):
        yield


@pytest.fixture
def ann(database: None) -> Program:
    return Program(somebody())


def said(answer: HttpResponse, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    assert answer["Cache-Control"] == "private, no-store"
    assert "Access-Control-Allow-Origin" not in answer
    return json.loads(answer.content)


@pytest.mark.process
def test_a_version_is_submitted_and_sent_to_qualify(ann: Program) -> None:
    made = ann.post("bots", {"slug": "stan", "name": "Stan"})
    assert said(made, 201)["slug"] == "stan"
    assert made["Location"] == "/api/v1/bots/stan"
    answer = ann.send("bots/stan/versions?note=thinks%20twice", archive_with())
    version = said(answer, 201)
    assert answer["Location"] == f"/api/v1/versions/{version['id']}"
    assert (version["number"], version["state"]) == (1, "qualifying")
    assert (version["language"], version["note"]) == ("Python", "thinks twice")
    block = Block.objects.get(subject=version["id"])
    assert block.purpose == Purpose.QUALIFICATION
    journey = said(ann.get(f"versions/{version['id']}/steps"))
    assert [step["kind"] for step in journey["steps"]] == ["received", "checked", "queued"]
    assert not journey["is_over"]
    last = journey["steps"][-1]["id"]
    assert said(ann.get(f"versions/{version['id']}/steps?after={last}"))["steps"] == []
    assert said(ann.get(f"versions/{version['id']}/failures")) == []


@pytest.mark.process
def test_a_canary_does_not_go_live(ann: Program) -> None:
    ann.post("bots", {"slug": "stan"})
    assert not said(ann.send("bots/stan/versions?canary=true", archive_with()), 201)["goes_live"]


def tar_of(*members: tarfile.TarInfo) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("bot.py"))
        for member in members:
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    return made.getvalue()


def member(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> Any:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname, info.mode = size, kind, "/etc/passwd", mode
    return info


def many_names() -> bytes:
    """Return a zip with more files than are accepted."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(5_000):
            archive.writestr(f"{number}", b"")
    return made.getvalue()


BAD = {
    "a bomb": (lambda: tar_of(member("zeros", 60 << 20)), "times the size of the archive"),
    "a link": (lambda: tar_of(member("evil", kind=tarfile.SYMTYPE)), "Links are not allowed"),
    "a way out": (lambda: tar_of(member("../../evil")), "leads out of the archive"),
    "a way from the top": (lambda: tar_of(member("/etc/cron.d/evil")), "not a relative path"),
    "a device": (lambda: tar_of(member("null", kind=tarfile.CHRTYPE)), "Only files and folders"),
    "set-uid": (lambda: tar_of(member("root", mode=0o4755)), "Setuid"),
    "nothing": (lambda: tar_of()[:40], "damaged or incomplete"),
    "no bot": (lambda: archive_with().replace(b"bot.py", b"tob.py"), "neither bot.py"),
    "a bad description": (
        lambda: archive_with(**{"damrak.toml": b'color = "red"'}),
        "unknown key 'color'",
    ),
    "no program": (lambda: archive_with(**{"damrak.toml": b'run = ["./x"]'}), "not in the archive"),
    "a missing runtime": (
        lambda: archive_with(**{"damrak.toml": b'runtime = "jax"'}),
        "The runtime jax is not installed here",
    ),
    "a bad runtime": (
        lambda: archive_with(**{"damrak.toml": b'runtime = "../jax"'}),
        "runtime must be a name",
    ),
    "too many": (many_names, "more than 2,000 files"),
    "noise": (lambda: bytes(range(256)) * 64, "damaged"),
}


@pytest.mark.process
@pytest.mark.parametrize("what", BAD)
def test_an_archive_that_breaks_a_rule_is_refused_at_once(ann: Program, what: str) -> None:
    make, why = BAD[what]
    ann.post("bots", {"slug": "stan"})
    before = kept()
    answer = ann.send("bots/stan/versions", make())
    assert why in problem_of(answer, 422, "not-taken")["detail"]
    assert not Version.objects.filter(bot__slug="stan").exists()
    assert not Step.objects.exists()
    assert not Block.objects.exists()
    assert kept() == before


@pytest.mark.process
def test_names_and_notes_are_kept_as_one_line_that_can_be_seen(ann: Program) -> None:
    odd = "a\0b\x01 \n c\u202ed"
    assert said(ann.post("bots", {"slug": "stan", "name": odd}), 201)["name"] == "a b c d"
    assert said(ann.post("bots", {"slug": "tess", "name": "\0"}), 201)["name"] == "tess"
    made = ann.send("bots/stan/versions?note=a%00b%0A%01c", archive_with())
    assert said(made, 201)["note"] == "a b c"
    registered = said(ann.post("bots/tess/remote", {"software": odd, "note": odd}), 201)["version"]
    assert (registered["spec"], registered["note"]) == ("a b c d", "a b c d")
    problem_of(ann.get("bots?owner=%00"), 422, "invalid")
    nobody = {"candidate": {"bot": "\0"}, "baseline": {"bot": "stan"}}
    problem_of(ann.post("trials", nobody), 422, "invalid")


def kept() -> set[Path]:
    return set((Path(settings.DAMRAK_HOME) / "archives").rglob("*"))


def test_data_that_is_not_an_archive(ann: Program) -> None:
    ann.post("bots", {"slug": "stan"})
    path = "bots/stan/versions"
    problem_of(ann.send(path, b""), 422, "not-taken")
    problem_of(ann.send(path, bytes((16 << 20) + 1)), 413, "too-large")
    form = "multipart/form-data; boundary=x"
    problem_of(ann.send(path, b"--x--", form), 415, "not-an-archive")
    problem_of(ann.post("bots", {"slug": "x" * 3_000_000}), 413, "too-large")
    problem_of(ann.send("bots", b"{", "application/json"), 400, "refused")
    problem_of(ann.send("bots", b"[1]", "application/json"), 422, "invalid")
    long = ann.send(f"{path}?note={'n' * 501}", archive_with())
    assert "note" in problem_of(long, 422, "invalid")["detail"]


@pytest.mark.process
def test_the_same_again_is_not_a_new_version(ann: Program, tmp_path: Path) -> None:
    ann.post("bots", {"slug": "stan"})
    said(ann.send("bots/stan/versions", archive_with()), 201)
    again = problem_of(ann.send("bots/stan/versions", archive_with()), 409, "same-content")
    assert again["version"] == 1
    problem_of(ann.post("bots", {"slug": "stan"}), 409, "name-taken")


@pytest.mark.parametrize("slug", ["", "Stan", "st_an", "-stan", "a" * 41, "house-x", "../x", "x\n"])
def test_invalid_names(ann: Program, slug: str) -> None:
    problem_of(ann.post("bots", {"slug": slug}), 422, "bad-name")


def test_limits_are_reported(ann: Program) -> None:
    for number in range(settings.DAMRAK_LIMITS.bots):
        said(ann.post("bots", {"slug": f"bot-{number}"}), 201)
    problem_of(ann.post("bots", {"slug": "one-more"}), 409, "limit-reached")
    for number in range(settings.DAMRAK_LIMITS.submissions_per_hour):
        body = {"software": f"v{number}"}
        said(ann.post("bots/bot-0/remote", body), 201)
    last = ann.post("bots/bot-0/remote", {"software": "last"})
    problem_of(last, 429, "limit-reached")
    assert last["Retry-After"]


@pytest.mark.process
def test_an_earlier_version_is_made_live_again(ann: Program) -> None:
    ann.post("bots", {"slug": "stan"})
    ids = [said(ann.send("bots/stan/versions", archive_with(text)), 201)["id"] for text in "ab"]
    problem_of(ann.post("bots/stan/live", {"version": 1}), 409, "not-qualified")
    for one in ids:
        advance(one, State.QUALIFYING, State.QUALIFIED, timezone.now())
    assert said(ann.post("bots/stan/live", {"version": 2}))["live"] == 2
    assert said(ann.post("bots/stan/live", {"version": 1}))["live"] == 1
    assert said(ann.post("bots/stan/live", {"version": 1}))["live"] == 1
    assert Bot.objects.get(slug="stan").promotions.count() == 2
    problem_of(ann.post("bots/stan/live", {"version": 3}), 404, "not-found")


def test_a_remote_bot_is_given_a_token_once(ann: Program) -> None:
    ann.post("bots", {"slug": "stan"})
    first = said(ann.post("bots/stan/remote", {"software": "stan/1"}), 201)
    assert first["version"]["kind"] == "remote"
    assert first["token"].startswith("dmk_")
    again = said(ann.post("bots/stan/remote", {"software": "stan/1"}), 201)
    assert again["version"]["number"] == 1
    assert again["token"] != first["token"]
    second = said(ann.post("bots/stan/remote", {"software": "stan/2"}), 201)
    assert second["version"]["number"] == 2
    old = Version.objects.get(bot__slug="stan", number=1)
    assert (old.state, old.reason) == (State.FAILED, Superseded(2))
    assert Block.objects.get(purpose=Purpose.QUALIFICATION).subject_id == second["version"]["id"]
    problem_of(ann.post("bots/stan/remote", {"software": "stan/1"}), 409, "same-content")
    # A failure of a remote bot may be fixed on its machine.
    advance(second["version"]["id"], State.QUALIFYING, State.FAILED, timezone.now(), CRASH)
    mended = said(ann.post("bots/stan/remote", {"software": "stan/2"}), 201)
    assert (mended["version"]["number"], mended["version"]["state"]) == (2, "qualifying")
    assert Block.objects.filter(subject_id=mended["version"]["id"]).count() == 2
    assert ConnectToken.objects.filter(revoked=None).count() == 1
    assert ConnectToken.objects.count() == 2  # only the latest void token is kept
    renewed = said(ann.post("bots/stan/token"))["token"]
    assert renewed != second["token"]
    assert ann.delete("bots/stan/token").status_code == 204
    assert not ConnectToken.objects.filter(revoked=None).exists()
    assert not ConnectToken.objects.filter(digest__contains=renewed).exists()


def test_frequent_changes_are_rate_limited(ann: Program) -> None:
    for _ in range(access.WRITES_A_MINUTE):
        problem_of(ann.post("bots/none/live", {"version": 1}), 404, "not-found")
    problem_of(ann.post("bots/none/live", {"version": 1}), 429, "too-often")
    assert said(ann.get("me"))["username"] == "ann"


@pytest.mark.process
def test_no_user_acts_for_another(ann: Program) -> None:
    ann.post("bots", {"slug": "stan"})
    version = said(ann.send("bots/stan/versions", archive_with()), 201)["id"]
    bob = Program(somebody("bob"))
    for answer in (
        bob.send("bots/stan/versions", archive_with("bob")),
        bob.post("bots/stan/live", {"version": 1}),
        bob.post("bots/stan/remote", {"software": "bob"}),
        bob.post("bots/stan/token"),
        bob.delete("bots/stan/token"),
        bob.get(f"versions/{version}/steps"),
        bob.get(f"versions/{version}/failures"),
    ):
        problem_of(answer, 403, "not-yours")
    match = Block.objects.get(subject=version).matches.first()
    assert match is not None
    seats = {seat.number: seat.version_id for seat in match.seats.all()}
    mine = next(number for number, one in seats.items() if one == version)
    problem_of(bob.get(f"matches/{match.pk}/seats/{mine}/log"), 403, "not-yours")
    problem_of(ann.get(f"matches/{match.pk}/seats/{1 - mine}/log"), 403, "not-yours")
    problem_of(ann.get(f"matches/{match.pk}/seats/9/log"), 404, "not-found")
    problem_of(ann.get(f"matches/{'9' * 30}/seats/0/log"), 404, "not-found")
    assert said(ann.get(f"matches/{match.pk}/seats/{mine}/log")) == []
    sam = somebody("sam")
    grant(sam, Role.STAFF)
    assert said(Program(sam).get(f"versions/{version}/steps"))["steps"]


WRITES = ("bots", "bots/stan/versions", "bots/stan/live", "bots/stan/remote", "bots/stan/token")


@pytest.mark.parametrize("path", WRITES)
def test_only_a_token_opens_what_writes(ann: Program, path: str) -> None:
    nobody = Program().post(path)
    problem_of(nobody, 401, "token-needed")
    assert nobody["WWW-Authenticate"].startswith("Bearer")
    # Browser sessions are ignored here: another site could use their cookies.
    client = Client()
    client.force_login(somebody("bob"), "django.contrib.auth.backends.ModelBackend")
    answer = client.post(f"/api/v1/{path}", {}, "application/json", headers={"host": "127.0.0.1"})
    assert answer.status_code == 401
    reader = Program(somebody("cleo"), (Scope.READ,))
    assert "scope" in problem_of(reader.post(path), 403, "scope-missing")["detail"]


@pytest.mark.parametrize("secret", ["x", "damrak_" + "0" * 43, "a b", "\u00e9", "x" * 4000])
def test_wrong_tokens(database: None, secret: str) -> None:
    problem_of(Program(secret=secret).get("me"), 401, "token-needed")


def test_guessing_tokens_soon_ends(database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WRONG_A_MINUTE", 3)
    guesser = Program(secret="damrak_guess")
    for _ in range(3):
        problem_of(guesser.get("me"), 401, "token-needed")
    problem_of(guesser.get("me"), 429, "too-often")


def test_a_token_reports_its_owner_and_revokes_itself(ann: Program) -> None:
    me = said(ann.get("me"))
    assert (me["username"], me["role"]) == ("ann", "author")
    assert ann.secret not in json.dumps(me)
    assert ann.delete("me/token").status_code == 204
    problem_of(ann.get("me"), 401, "token-needed")


def test_no_token_makes_another(ann: Program) -> None:
    problem_of(ann.post("me/token"), 405, "not-done")
    problem_of(ann.post("tokens", {"name": "more"}), 404, "not-found")


@pytest.mark.process
def test_crash_between_disk_and_tables_leaves_no_version(
    ann: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    ann.post("bots", {"slug": "stan"})
    monkeypatch.setattr(submission.qualification, "begin", die)
    with pytest.raises(KeyboardInterrupt):
        ann.send("bots/stan/versions", archive_with())
    assert not Version.objects.exists()
    assert not Step.objects.exists()
    monkeypatch.undo()
    with override_settings(CACHES=MEMORY):
        assert said(ann.send("bots/stan/versions", archive_with()), 201)["number"] == 1
