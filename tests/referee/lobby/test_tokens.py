"""Tokens let bots in until they expire or are revoked; only hashes are kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from damrak_referee.command.command_line import main
from damrak_referee.lobby.tokens import (
    Tokens,
    TokensError,
    hash_token,
    new_token,
    read_tokens,
    write_tokens,
)
from damrak_wire.lobby import BotToken


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_new_token_is_printed_once_and_only_its_hash_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tokens.json"
    assert main(["token", "new", "stan-3", "--tokens", str(path), "--expires", "90"]) == 0
    token = capsys.readouterr().out.strip()
    assert token not in path.read_text()
    [entry] = read_tokens(path)
    assert (entry.bot, entry.sha256) == ("stan-3", hash_token(token))
    assert entry.expires > 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["tokens.json"]


def test_second_token_of_a_bot_replaces_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tokens.json"
    for _ in range(2):
        main(["token", "new", "stan", "--tokens", str(path)])
    first, second = capsys.readouterr().out.split()
    tokens = Tokens(path, Time())
    assert tokens.look_up(first) == (None, False)
    assert tokens.look_up(second)[0] is not None


def test_list_and_revoke(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokens.json"
    main(["token", "new", "stan", "--tokens", str(path)])
    main(["token", "new", "jan", "--tokens", str(path), "--expires", "0.5"])
    capsys.readouterr()
    main(["token", "list", "--tokens", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["jan", "stan"]
    assert "never expires" in lines[1]
    assert main(["token", "revoke", "stan", "--tokens", str(path)]) == 0
    assert [entry.bot for entry in read_tokens(path)] == ["jan"]
    assert main(["token", "revoke", "stan", "--tokens", str(path)]) == 2
    capsys.readouterr()
    assert main(["token", "list", "--tokens", str(tmp_path / "absent")]) == 2
    assert capsys.readouterr().err == f"damrak-referee: {tmp_path / 'absent'}: no such file\n"


def test_expired_token_is_distinguished_from_an_unknown_one(tmp_path: Path) -> None:
    time, token = Time(), new_token()
    path = tmp_path / "tokens.json"
    write_tokens(path, [BotToken("stan", hash_token(token), 2000)])
    tokens = Tokens(path, time)
    assert tokens.look_up(token) == (BotToken("stan", hash_token(token), 2000), False)
    time.now = 2000.0
    assert tokens.look_up(token)[1]
    assert tokens.look_up("dmk_else") == (None, False)


def test_file_is_read_again_when_it_changes_and_a_bad_one_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    tokens = Tokens(path, Time())
    calls: list[bool] = []
    tokens.changed = lambda: calls.append(True)
    write_tokens(path, [BotToken("stan", hash_token("t"), 0)])
    tokens.reread()
    tokens.reread()
    assert len(calls) == 1
    assert tokens.look_up("t")[0] is not None
    path.write_text("{}")
    with pytest.raises(TokensError, match=r"tokens\.json"):
        tokens.reread()
    assert tokens.look_up("t")[0] is not None


def test_control_replaces_only_its_own_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    write_tokens(path, [BotToken("of-the-file", hash_token("a"), 0)])
    tokens = Tokens(path, Time())
    tokens.replace([BotToken("stan", hash_token("b"), 0)])
    tokens.replace([BotToken("jan", hash_token("c"), 0)])
    found = [tokens.look_up(token)[0] for token in ("a", "b", "c")]
    assert [entry.bot if entry else None for entry in found] == ["of-the-file", None, "jan"]


def test_renewed_expiry_keeps_a_token_in_force() -> None:
    tokens = Tokens(None, Time())
    assert not tokens.are_known
    entry = BotToken("stan", hash_token("t"), 2000)
    tokens.replace([entry])
    tokens.replace([BotToken("stan", hash_token("t"), 3000)])
    assert tokens.is_in_force(entry)
    tokens.replace([])
    assert tokens.are_known
    assert not tokens.is_in_force(entry)


@pytest.mark.parametrize("command", ["token", "sandbox"])
def test_help_teaches(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "examples:\n  damrak-referee" in capsys.readouterr().out
