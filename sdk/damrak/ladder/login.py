"""Tokens for a site: finding, requesting in a browser, storing and deleting them."""

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
    """A pending login: the user types `code` on `page`, or opens `link`."""

    code: str
    page: str
    link: str
    secret: str
    interval: float


def find_site(
    given: str | None, *, may_be_plain: bool = False, environment: Mapping[str, str] = os.environ
) -> Site:
    """Return the site of this address, or of the last login, with its token.

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
    """Return the given address, or that of the last login.

    Raises:
        LadderError: there is neither.
    """
    if named := given or last_site():
        return parse_site(named, may_be_plain=may_be_plain)
    raise LadderError("no ladder is given; use --to https://…, or log in first: damrak login")


def keep_login(site: Site) -> dict[str, Any]:
    """Store the token of a site, make it the default site, and return the token's account.

    Raises:
        LadderError: the site does not accept the token.
    """
    me: dict[str, Any] = site.get("me")
    assert site.token is not None
    save_token(site.address.text, site.token, login_file())
    remember_site(site.address)
    return me


def ask(site: Site) -> Asked:
    """Start a login in the browser.

    Raises:
        LadderError: the site refuses or cannot be reached.
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
        raise LadderError(f"{site.address.text}: this is not the URL of a ladder") from None


def collect(site: Site, asked: Asked, sleep: Callable[[float], None] = time.sleep) -> str:
    """Wait until the user approves the login, and return the token.

    Raises:
        LadderError: it was denied, or not approved in time.
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
    """Revoke the stored token and delete it; returns whether the site has revoked it.

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
    """Return whether the site rejects the token, as after a new installation."""
    try:
        site.get("me")
    except SiteRefusal as refusal:
        return refusal.status == 401
    except LadderError:
        return False
    return False
