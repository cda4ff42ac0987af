"""Tokens for a site: found, asked for in a browser, kept, forgotten."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from damrak.errors import LadderError
from damrak.ladder.address import SiteAddress, last_site, parse_site, remember_site
from damrak.ladder.local_key import find_local_token
from damrak.ladder.site import Site, SiteAway, SiteRefusal
from damrak.remote.credentials import forget_token, kept_tokens, login_file, save_token

VARIABLE: Final = "DAMRAK_API_TOKEN"
_PATIENCE: Final = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to be let in: the user types `code` on `page`, or opens `link`."""

    code: str
    page: str
    link: str
    secret: str
    interval: float


def find_site(
    given: str | None, *, may_be_plain: bool = False, environment: Mapping[str, str] = os.environ
) -> Site:
    """The site of this address, or else of the last login, with the token there is for it.

    Raises:
        LadderError: no site is named, or there is no token for it.
    """
    address = find_address(given, may_be_plain=may_be_plain)
    if token := environment.get(VARIABLE, "").strip():
        return Site(address, token)
    kept = kept_tokens(login_file()).get(address.text)
    if kept and not (address.is_loopback and _is_void(Site(address, kept))):
        return Site(address, kept)
    if local := find_local_token(Site(address)):
        return Site(address, local)
    raise LadderError(f"no token for {address.text}: damrak login --to {address.text}")


def find_address(given: str | None, *, may_be_plain: bool = False) -> SiteAddress:
    """The address that is given, or else that of the last login.

    Raises:
        LadderError: there is none.
    """
    if named := given or last_site():
        return parse_site(named, may_be_plain=may_be_plain)
    raise LadderError("which ladder? name it with --to https://…, or log in first: damrak login")


def keep_login(site: Site) -> dict[str, Any]:
    """Keep the token of a site for the next time, and take that site from now on; whose it is.

    Raises:
        LadderError: the site does not take it.
    """
    me: dict[str, Any] = site.get("me")
    assert site.token is not None
    save_token(site.address.text, site.token, login_file())
    remember_site(site.address)
    return me


def ask(site: Site) -> Asked:
    """Ask a site to be let in.

    Raises:
        LadderError
    """
    said = site.post("device", {"name": f"damrak on {platform.node() or 'some machine'}"})
    try:
        return Asked(
            code=str(said["user_code"]),
            page=str(said["verification_uri"]),
            link=str(said["verification_uri_complete"]),
            secret=str(said["device_code"]),
            interval=max(1.0, float(said["interval"])),
        )
    except (KeyError, TypeError, ValueError):
        raise LadderError(f"{site.address.text}: what answers there is no ladder") from None


def collect(site: Site, asked: Asked, sleep: Callable[[float], None] = time.sleep) -> str:
    """The token, as soon as somebody has approved.

    Raises:
        LadderError: it was refused, or nobody approved it in time.
    """
    away = 0
    while True:
        sleep(asked.interval)
        try:
            return str(site.post("device/token", {"device_code": asked.secret})["token"])
        except SiteAway:
            away += 1
            if away > _PATIENCE:
                raise
        except SiteRefusal as refusal:
            if refusal.code not in ("authorization-pending", "too-often"):
                raise


def forget(site: Site) -> bool:
    """Make the kept token void and forget it; whether the site knows.

    Raises:
        TokenError: the login file is damaged.
    """
    try:
        site.delete("me/token")
        is_void = True
    except SiteRefusal as refusal:
        is_void = refusal.status == 401
    except LadderError:
        is_void = False
    forget_token(site.address.text, login_file())
    return is_void


def _is_void(site: Site) -> bool:
    """Whether the site does not know the token: it may have been set up anew since."""
    try:
        site.get("me")
    except SiteRefusal as refusal:
        return refusal.status == 401
    except LadderError:
        return False
    return False
