"""Commands of an operator, run in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django.utils import timezone

from damrak_engine.boards import board_names, load_board
from damrak_engine.generator import generate
from damrak_ladder.accounts.models import ApiToken, User
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.command_line import build_parser, main
from damrak_ladder.embedded.initial_data import make_admin, random_name
from damrak_ladder.matches.hosts import quarantined_since, trusted_since
from damrak_ladder.matches.models import Block, BlockState, Host, Ladder
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.usage_errors import Misuse
from ladder.people import NOW, somebody
from ladder.tables import some_block

Told = Callable[[str], str]


@pytest.fixture
def told(
    committed: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Told:
    """Return a function that returns a command's exit code and output as one text."""
    for name, value in committed.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", os.environ.get("DJANGO_SETTINGS_MODULE", ""))

    def run(line: str) -> str:
        code = main(line.split())
        said = capsys.readouterr()
        return f"{code} {said.out}{said.err}"

    return run


def test_accounts_are_created_and_changed(told: Told) -> None:
    assert told("users list").startswith("0 There are no accounts")
    assert "can log in with the password" in told("users add ann ann@example.org --role organiser")
    ann = User.objects.get(username="ann")
    assert ann.role == "organiser"
    assert ann.emailaddress_set.get().verified
    assert told("users add Ann b@example.org").startswith("2 damrak-ladder: the user ")
    assert told("users add bob nonsense").startswith("2 damrak-ladder: email:")
    password = told("users password ann").split()[-1]
    ann.refresh_from_db()
    assert ann.check_password(password)
    assert told("users role ann staff").startswith("0 ")
    assert told("users deactivate ANN").startswith("0 ann is deactivated")
    row = json.loads(told("users list --json")[2:])[0]
    assert (row["role"], row["active"]) == ("staff", False)
    assert told("users role eve staff").startswith("2 damrak-ladder: there is no user 'eve'")


def test_new_password_ends_sessions_and_optionally_revokes_tokens(told: Told) -> None:
    told("users add ann ann@example.org")
    ann = User.objects.get(username="ann")
    UserSession.objects.create(user=ann, session_key="a" * 32, ip="192.0.2.1")
    issue(ann, "ci", ["read"], NOW)
    told("users password ann")
    assert not UserSession.objects.exists()
    assert ApiToken.objects.filter(revoked=None).exists()
    told("users password ann --revoke-tokens")
    assert not ApiToken.objects.filter(revoked=None).exists()


def test_lost_second_factor_is_removed(told: Told) -> None:
    told("users add ann ann@example.org")
    ann = User.objects.get(username="ann")
    TOTP.activate(ann, "JBSWY3DPEHPK3PXP")
    assert told("users remove-factor ann").startswith("0 ann no longer has a second factor")
    assert not is_mfa_enabled(ann)
    assert told("users remove-factor ann").startswith("0 ann had no second factor")


def test_data_is_printed_and_the_account_deleted(told: Told) -> None:
    told("users add ann ann@example.org --role staff")
    assert json.loads(told("users export ann")[2:])["account"]["email"] == "ann@example.org"
    assert "add --yes" in told("users delete ann")
    assert "last administrator" in told("users delete ann --yes")
    told("users role ann author")
    assert told("users delete ann --yes").startswith("0 ann was deleted")
    assert not User.objects.filter(username="ann").exists()
    assert told("users delete former-author --yes").startswith("2 ")


def test_the_house_account_cannot_be_used(told: Told) -> None:
    User.objects.create(username="house", is_active=False)
    assert told("users password house").startswith("2 ")
    assert told("users activate house").startswith("2 ")


def test_without_usable_staff_accounts_the_cure_is_named(told: Told, tmp_path: Path) -> None:
    admin = make_admin(tmp_path / "password", NOW)
    assert told(f"users deactivate {admin.username}").startswith("0 ")
    with pytest.raises(Misuse, match="users activate NAME"):
        make_admin(tmp_path / "password", NOW)
    assert told(f"users activate {admin.username}").startswith("0 ")
    assert make_admin(tmp_path / "password", NOW) == admin


def test_first_administrator_has_a_random_name(committed: dict[str, str], tmp_path: Path) -> None:
    names = {random_name() for _ in range(20)}
    assert len(names) == 20
    with pytest.raises(Misuse, match="--admin a b"):
        make_admin(tmp_path / "password", NOW, "a b")
    assert make_admin(tmp_path / "password", NOW, "ann").username == "ann"
    assert make_admin(tmp_path / "password", NOW).username == "ann"


def test_ladders_are_made_changed_and_closed(told: Told) -> None:
    add = "ladders add blitz --boards amsterdam --seats 2:1 --control bank_ms=9000"
    assert told(f"{add} --house random mcts:ms=10 --anchors mcts:ms=10=1500") == "0 blitz is open\n"
    ladder = Ladder.objects.get(slug="blitz")
    assert ladder.anchors == {"mcts:ms=10": 1500.0}
    assert ladder.control == {"bank_ms": 9000}
    assert told("ladders change blitz --weight 0.5").startswith("0 ")
    assert told("ladders close blitz").startswith("0 blitz is closed")
    shown = json.loads(told("ladders show blitz")[2:])
    assert (shown["weight"], shown["is_open"], shown["shares"]) == (0.5, False, {"2": 1.0})
    assert told("ladders change blitz").startswith("2 damrak-ladder: nothing is to be changed")
    assert told("ladders change blitz --weight 0").startswith("2 damrak-ladder: weight:")
    assert told("ladders change blitz --seats two").startswith("2 damrak-ladder: --seats: 'two'")
    assert told("ladders open chess").startswith("2 damrak-ladder: there is no ladder")


def test_usual_ladders_are_made_once(told: Told) -> None:
    assert told("ladders add usual") == "0 New: amsterdam, daily\n"
    assert told("ladders add usual") == "0 The ladders exist already.\n"
    assert {row["slug"] for row in json.loads(told("ladders list --json")[2:])} == {
        "amsterdam",
        "daily",
    }


def test_dead_blocks_are_shown_and_queued_again(told: Told) -> None:
    block = some_block()
    Block.objects.update(state=BlockState.DEAD, trouble=ReportedVoid("gone"))
    assert "declared the block void: gone" in told("blocks dead")
    assert told(f"blocks requeue {block.pk}").startswith("0 1 queued again")
    assert told(f"blocks requeue {block.pk}").startswith("2 ")
    assert told("blocks requeue").startswith("2 damrak-ladder: name blocks")
    assert told("blocks dead") == "0 No block is dead.\n"


def test_hosts_are_quarantined_and_trusted(told: Told) -> None:
    attic = Host.objects.create(name="attic", first_seen=NOW, last_seen=NOW)
    block = some_block()
    Block.objects.update(host=attic, sent=NOW)
    assert told("hosts quarantine attic --reason hot") == "0 attic is quarantined\n"
    assert told("hosts quarantine attic") == "0 attic is quarantined already: hot\n"
    listed = json.loads(told("hosts list --json")[2:])[0]
    assert listed["reason"] == "hot"
    Host.objects.update(last_seen=timezone.now() - timedelta(minutes=1), running=2)
    listed = json.loads(told("hosts list --json")[2:])[0]
    assert (listed["state"], listed["status"], listed["running"]) == ("quarantined", "silent", None)
    assert listed["silent_s"] >= 60
    block.refresh_from_db()
    assert block.host is None  # it is free for other hosts
    attic.refresh_from_db()
    assert quarantined_since(attic)
    assert told("hosts trust attic") == "0 attic is trusted\n"
    assert told("hosts trust attic") == "0 attic is trusted already\n"
    attic.refresh_from_db()
    assert (attic.state, attic.reason) == ("trusted", None)
    assert trusted_since(attic) is not None  # earlier deviations no longer count
    assert told("hosts trust cellar").startswith("2 damrak-ladder: there is no machine")


def test_boards_are_added_shown_and_played_on(told: Told, tmp_path: Path) -> None:
    town = tmp_path / "town.json"
    town.write_text(json.dumps(source := generate(5, 12)))
    assert told(f"boards add {town}").startswith("0 town was added: ")
    assert json.loads(told("boards show town")[2:]) == source
    names = [row["name"] for row in json.loads(told("boards list --json")[2:])]
    assert names == [*board_names(), "town"]
    assert told("ladders add towns --boards town --seats 2:1") == "0 towns is open\n"
    assert told(f"boards add {town}").startswith(
        "2 damrak-ladder: There is already a board named town"
    )
    assert told(f"boards add {town} --name ../x").startswith("2 damrak-ladder: ../x must")
    assert told(f"boards add {tmp_path}").startswith(f"2 damrak-ladder: {tmp_path}: Is a directory")
    town.write_text("{}")
    assert told(f"boards add {town} --name other").startswith(
        "2 damrak-ladder: The board other is not valid: "
    )
    assert told("boards show atlantis").startswith("2 damrak-ladder: ")


def test_board_with_unusual_games_is_accepted_with_a_warning(told: Told, tmp_path: Path) -> None:
    small = tmp_path / "small.json"
    small.write_text(json.dumps(load_board("practice").source))
    assert "of the usual length" in told(f"boards add {small}")


def test_tables_are_checked(told: Told) -> None:
    somebody()
    assert told("migrate --check") == "0 migrations: well\n"


def test_every_command_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    def check(parser: object, words: list[str]) -> None:
        found = [
            action.choices
            for action in parser._actions  # type: ignore[attr-defined]
            if hasattr(action.choices, "items")
        ]
        for choices in found:
            for name, child in choices.items():
                assert "examples:" in child.format_help(), [*words, name]
                check(child, [*words, name])

    check(build_parser(), [])


@pytest.mark.process
def test_stopped_measurement_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def measure(*_: object) -> None:
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
            begun.append(process)
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("damrak_ladder.benchmark.platform.measure", measure)
    with pytest.raises(SystemExit) as ended:
        main(["bench", "platform"])
    assert ended.value.code == 128 + signal.SIGTERM
    assert begun[0].returncode is not None
    assert signal.getsignal(signal.SIGTERM) == before
