"""Addresses and tokens in the forms that users write."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from damrak.errors import RefereeError, TokenError
from damrak.remote.address import parse_address
from damrak.remote.credentials import find_token, login_file, save_token

posix = pytest.mark.skipif(sys.platform == "win32", reason="file modes")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("localhost:7171", "localhost", 7171),
        ("127.0.0.1:1", "127.0.0.1", 1),
        ("[::1]:65535", "::1", 65535),
        ("unix:/run/r.sock", "", 0),
    ],
)
def test_addresses_of_this_machine(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert (address.text, address.host, address.port) == (text, host, port)
    assert address.is_loopback


@pytest.mark.parametrize("text", ["referee.example.org:443", "10.0.0.1:1", "[2001:db8::1]:7171"])
def test_addresses_elsewhere(text: str) -> None:
    assert not parse_address(text).is_loopback


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("referee.example.org", "write HOST:PORT, both"),
        (":7171", "write HOST:PORT, both"),
        ("referee.example.org:", "write HOST:PORT, both"),
        ("https://referee.example.org:7171", "without http://"),
        ("referee.example.org:7171/x", "without a path"),
        ("host:0", "is no port"),
        ("host:65536", "is no port"),
        ("host:http", "is no port"),
        ("host:٣", "is no port"),
        ("::1:7171", "in brackets"),
        ("my host:7171", "a space"),
        ("unix:", "the path of the socket"),
    ],
)
def test_invalid_address_error_shows_the_format(text: str, cure: str) -> None:
    with pytest.raises(RefereeError, match="address") as caught:
        parse_address(text)
    assert cure in str(caught.value)


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_token_is_looked_for_in_this_order(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "DAMRAK_TOKEN": "from-variable"}
    save_token("a:1", "from-login", login_file(environment))
    file = private(tmp_path / "t", "from-file\n")
    found = [
        find_token("a:1", "from-option", file, environment),
        find_token("a:1", None, file, environment),
        find_token("a:1", None, None, environment),
        find_token("a:1", None, None, {"XDG_CONFIG_HOME": str(tmp_path)}),
    ]
    assert [token.text for token in found] == [
        "from-option",
        "from-file",
        "from-variable",
        "from-login",
    ]
    assert "from-option" not in repr(found[0])


def test_missing_token_error_explains_where_to_put_one(tmp_path: Path) -> None:
    with pytest.raises(TokenError, match="no token for a:1: give it with --token-file"):
        find_token("a:1", None, None, {"XDG_CONFIG_HOME": str(tmp_path)})


def test_login_file_keeps_a_token_for_each_address(tmp_path: Path) -> None:
    login = tmp_path / "new" / "credentials.toml"
    for address, token in (("a:1", "one"), ("[::1]:2", "two"), ("a:1", "three")):
        save_token(address, token, login)
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / "damrak").mkdir()
    login.rename(login_file(environment))
    assert find_token("a:1", None, None, environment).text == "three"
    assert find_token("[::1]:2", None, None, environment).text == "two"


@posix
def test_login_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    login = tmp_path / "damrak" / "credentials.toml"
    save_token("a:1", "secret", login)
    assert login.stat().st_mode & 0o777 == 0o600
    assert os.listdir(login.parent) == [login.name]


@posix
@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o660])
def test_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = private(tmp_path / "t", "secret")
    file.chmod(mode)
    with pytest.raises(TokenError, match="others can read the token") as caught:
        find_token("a:1", None, file, {})
    assert f"chmod 600 {file}" in str(caught.value)
    assert "secret" not in str(caught.value)


@posix
def test_login_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    login = login_file(environment)
    save_token("a:1", "secret", login)
    login.chmod(0o644)
    with pytest.raises(TokenError, match="others can read"):
        find_token("a:1", None, None, environment)
    with pytest.raises(TokenError, match="others can read"):
        save_token("b:1", "secret", login)


@pytest.mark.parametrize("text", ["", "  \n", "two words", 'quo"te', "näh", "a\nb", "x" * 600])
def test_invalid_token_is_reported(tmp_path: Path, text: str) -> None:
    with pytest.raises(TokenError, match="token"):
        find_token("a:1", None, private(tmp_path / "t", text), {})


@pytest.mark.parametrize("text", ["[", '["a:1"]\n', '"a:1" = 3\n', '["a:1"]\ntoken = 7\n'])
def test_damaged_login_file_is_named(tmp_path: Path, text: str) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    login_file(environment).parent.mkdir()
    private(login_file(environment), text)
    with pytest.raises(TokenError, match=r"credentials\.toml"):
        find_token("a:1", None, None, environment)


def test_login_file_is_where_the_platform_keeps_such_files() -> None:
    home = {"HOME": "/home/me"}
    assert login_file(home, "linux") == Path("/home/me/.config/damrak/credentials.toml")
    assert login_file({**home, "XDG_CONFIG_HOME": "/x"}, "linux") == Path(
        "/x/damrak/credentials.toml"
    )
    mac = Path("/home/me/Library/Application Support/damrak/credentials.toml")
    assert login_file(home, "darwin") == mac
    windows = login_file({**home, "APPDATA": "/app"}, "win32")
    assert windows == Path("/app/damrak/credentials.toml")
