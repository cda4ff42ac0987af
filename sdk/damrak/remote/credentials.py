"""Finding tokens, and storing them in the login file.

The login file is `credentials.toml` in the user's configuration folder. It has a table for each
address, and only its owner may have access to it:

    ["referee.example.org:7171"]
    token = "…"
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak.errors import TokenError

VARIABLE: Final = "DAMRAK_TOKEN"
LONGEST: Final = 512


@dataclass(frozen=True, slots=True)
class Token:
    """A token and its source; its repr does not contain the token."""

    text: str
    source: str

    def __repr__(self) -> str:
        return f"Token(from {self.source})"


def login_file(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Return the path of the login file on this platform."""
    home = Path(environment.get("HOME") or Path.home())
    if given := environment.get("XDG_CONFIG_HOME"):
        folder = Path(given)
    elif platform == "win32":
        folder = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    elif platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        folder = home / ".config"
    return folder / "damrak" / "credentials.toml"


def find_token(
    address: str, given: str | None, file: Path | None, environment: Mapping[str, str] = os.environ
) -> Token:
    """Return the token for an address: as given, or from file, variable or login file.

    Raises:
        TokenError: the token is missing or malformed, or others could have read it.
    """
    if given is not None:
        return Token(_checked(given, "--token"), "--token")
    if file is not None:
        return Token(_checked(_read(file), str(file)), str(file))
    if text := environment.get(VARIABLE):
        return Token(_checked(text, VARIABLE), VARIABLE)
    login = login_file(environment)
    if (kept := kept_tokens(login).get(address)) is not None:
        return Token(_checked(kept, str(login)), str(login))
    raise TokenError(
        f"no token for {address}: give it with --token-file FILE or in {VARIABLE}, "
        "or keep it once with --save-token"
    )


def save_token(address: str, text: str, login: Path) -> None:
    """Store a token in the login file, replacing an earlier one for the same address.

    Raises:
        TokenError: others can read the file, or it is damaged.
    """
    _write({**kept_tokens(login), address: _checked(text, "the token")}, login)


def forget_token(address: str, login: Path) -> bool:
    """Delete the token of an address; returns whether there was one.

    Raises:
        TokenError: others can read the file, or it is damaged.
    """
    tokens = kept_tokens(login)
    if tokens.pop(address, None) is None:
        return False
    _write(tokens, login)
    return True


def _write(tokens: Mapping[str, str], login: Path) -> None:
    lines = "".join(f'["{name}"]\ntoken = "{token}"\n\n' for name, token in sorted(tokens.items()))
    login.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=login.parent, prefix=login.name)  # created with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(lines)
        Path(draft).replace(login)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def read_token(file: Path) -> str:
    """Return the token in a file that only its owner may access.

    Raises:
        TokenError: the token is missing or malformed, or others could have read it.
    """
    return _checked(_read(file), str(file))


def _read(file: Path) -> str:
    """Return the content of a file that only its owner may access."""
    try:
        with file.open("rb") as opened:
            # Check the open file: its name may refer to another file by now.
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read(1 << 20)
    except OSError as problem:
        reason = (problem.strerror or "cannot be read").lower()
        raise TokenError(f"{file}: {reason}") from None
    if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise TokenError(
            f"{file}: others can read the token in it; make it yours with `chmod 600 {file}`, "
            "and get a new token if others use this machine"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise TokenError(f"{file}: no text") from None


def kept_tokens(login: Path) -> dict[str, str]:
    """Return the tokens in a login file by address or name; empty if the file does not exist.

    Raises:
        TokenError: others can read it, or it is damaged.
    """
    if not login.exists():
        return {}
    try:
        tables = tomllib.loads(_read(login))
    except tomllib.TOMLDecodeError as problem:
        raise TokenError(f"{login}: no TOML: {problem}") from None
    kept = {}
    for address, table in tables.items():
        if not isinstance(table, dict) or not isinstance(table.get("token"), str):
            raise TokenError(f"{login}: [{address!r}] has no token")
        kept[address] = table["token"]
    return kept


def _checked(text: str, source: str) -> str:
    token = text.strip()
    if not token:
        raise TokenError(f"{source}: there is no token in it")
    plain = token.isascii() and token.isprintable() and not set(token) & set(' "\\')
    if not plain or len(token) > LONGEST:
        raise TokenError(
            f"{source}: that is no token: it holds more than one word of plain letters"
        )
    return token
