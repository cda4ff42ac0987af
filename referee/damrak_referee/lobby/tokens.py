"""Tokens that admit remote bots to the lobby. Only their hashes are stored.

Tokens come from a file that `damrak-referee token` writes, and from Control. Either source may
change at any time; a callback then disconnects the bots whose token is gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from damrak_wire.lobby import BotToken

FORMAT: Final = "damrak-tokens/1"
TOKEN_BYTES: Final = 32


class TokensError(Exception):
    """A token file is not valid; the message names it."""


def is_good_at(token: BotToken, now: float) -> bool:
    """Return whether the token has not expired."""
    return not token.expires or now < token.expires


def new_token() -> str:
    """Return a new random token."""
    return "dmk_" + secrets.token_urlsafe(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens(path: Path) -> tuple[BotToken, ...]:
    """Read the tokens in a file; return none if the file does not exist.

    Raises:
        TokensError: the file is not valid, for the given reason.
    """
    try:
        content = json.loads(path.read_bytes())
        if content["format"] != FORMAT:
            raise TokensError(f"{path}: not of the format {FORMAT}")
        return tuple(_entry(row) for row in content["tokens"])
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise TokensError(f"{path}: {(problem.strerror or 'cannot be read').lower()}") from None
    except (ValueError, TypeError, KeyError) as problem:
        raise TokensError(f"{path}: not of the format {FORMAT}: {problem!r}") from None


def write_tokens(path: Path, tokens: Iterable[BotToken]) -> None:
    """Replace the file atomically, readable only for its owner."""
    rows = [asdict(token) for token in tokens]
    text = json.dumps({"format": FORMAT, "tokens": rows}, indent=2) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # created with mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _entry(row: object) -> BotToken:
    if not isinstance(row, dict):
        raise TypeError(row)
    token = BotToken(str(row["bot"]), str(row["sha256"]).lower(), int(row.get("expires", 0)))
    if len(bytes.fromhex(token.sha256)) != 32 or not token.bot:
        raise ValueError(row)
    return token


class Tokens:
    """All valid tokens. `changed` is called after each change."""

    def __init__(self, path: Path | None, now: Callable[[], float]) -> None:
        self._path = path
        self.now = now
        self._stamp: tuple[int, int, int] | None = None
        self._from_file: tuple[BotToken, ...] = ()
        self._from_control: tuple[BotToken, ...] | None = None
        self._known: dict[tuple[str, str], BotToken] = {}
        self.changed: Callable[[], None] = lambda: None
        self.reread()

    @property
    def are_known(self) -> bool:
        """Whether any source of tokens has been available yet."""
        return self._path is not None or self._from_control is not None

    def replace(self, tokens: Iterable[BotToken]) -> bool:
        """Replace all tokens that came through Control; return whether they changed."""
        before, self._from_control = self._from_control, tuple(tokens)
        is_news = before is None or set(before) != set(self._from_control)
        if is_news:
            self._change()
        return is_news

    def reread(self) -> None:
        """Read the file again if it has changed.

        Raises:
            TokensError: the file is not valid; its earlier tokens stay valid.
        """
        if self._path is None:
            return
        stamp = _stamp_of(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        self._from_file = read_tokens(self._path)
        self._change()

    def look_up(self, token: str) -> tuple[BotToken | None, bool]:
        """Return the entry of a token, or None, and whether it has expired.

        It takes the same time for wrong and right tokens.
        """
        wanted = hash_token(token)
        found = None
        for entry in self._known.values():
            if hmac.compare_digest(entry.sha256, wanted):
                found = entry
        return found, found is not None and not is_good_at(found, self.now())

    def is_in_force(self, token: BotToken) -> bool:
        """Return whether a token found before is still valid."""
        known = self._known.get((token.bot, token.sha256))
        return known is not None and is_good_at(known, self.now())

    def is_barred(self, bot: str) -> bool:
        """Return whether a bot has no token left; an expired one still counts."""
        return all(name != bot for name, _ in self._known)

    def _change(self) -> None:
        every = (*self._from_file, *(self._from_control or ()))
        self._known = {(token.bot, token.sha256): token for token in every}
        self.changed()


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
