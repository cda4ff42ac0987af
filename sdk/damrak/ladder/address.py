"""The address of a ladder's site, and the one that was used last."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from damrak.atomic import write_atomically
from damrak.errors import LadderError
from damrak.remote.credentials import login_file

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_LAST: Final = "ladder"


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """The location of a site: scheme, host and port, without a trailing slash."""

    text: str
    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether the site is on this machine."""
        return self.host in LOOPBACK

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.text.startswith("https://")


def parse_site(text: str, *, may_be_plain: bool = False) -> SiteAddress:
    """Return the site of an address, which may be that of any page of it.

    Raises:
        LadderError: it is not a valid address, or the connection would not be encrypted.
    """
    said = text.strip()
    if "://" not in said:
        said = ("http://" if _host(said) in LOOPBACK else "https://") + said
    try:
        parts = urlsplit(said)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise _wrong(text) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise _wrong(text)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    named = "" if parts.port is None else f":{parts.port}"
    address = SiteAddress(f"{parts.scheme}://{host}{named}", parts.hostname, port)
    if not (address.is_encrypted or address.is_loopback or may_be_plain):
        raise LadderError(
            f"{address.text}: others could read your token; use https://, "
            "or --insecure on a network that you trust"
        )
    return address


def last_site() -> str | None:
    """Return the site of the last login, or None."""
    try:
        return _file().read_text("utf-8").strip() or None
    except OSError:
        return None


def remember_site(address: SiteAddress) -> None:
    """Use this site by default from now on."""
    _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(_file(), f"{address.text}\n".encode())


def _file() -> Path:
    return login_file().with_name(_LAST)


def _host(text: str) -> str:
    try:
        return urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _wrong(text: str) -> LadderError:
    return LadderError(
        f"{text!r} is not a URL of a ladder, such as https://host or http://127.0.0.1:8000"
    )
