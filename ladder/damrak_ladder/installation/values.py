"""Parsers of the values of settings. Every function raises ValueError for an invalid value.

The message never repeats a value that may contain a password.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from datetime import date
from email.utils import parseaddr
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

SECRET_LENGTH: Final = 32
"""The minimum length of a secret key, in characters."""

MOST_DAYS: Final = 36_500
STORES: Final = ("database", "folder", "s3")
_DATABASES: Final = frozenset({"postgres", "postgresql"})
_MAILERS: Final = frozenset({"smtp", "smtps", "smtp+tls"})
_BROKERS: Final = frozenset({"redis", "rediss"})


def filled(text: str) -> str:
    """Parse a text that must not be empty."""
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def folder(text: str) -> Path:
    """Parse a path; return it as absolute."""
    return Path(filled(text)).expanduser().absolute()


def content(text: str) -> bytes:
    """Return the content of the file of this name."""
    try:
        return folder(text).read_bytes()
    except OSError as problem:
        raise ValueError(f"{text}: {(problem.strerror or 'cannot be read').lower()}") from None


def truth(text: str) -> bool:
    """Parse yes or no."""
    if text not in {"yes", "no"}:
        raise ValueError(f"{text!r} is neither yes nor no")
    return text == "yes"


def count(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise ValueError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def count_or_none(text: str) -> int:
    """Parse a whole number of at least 0."""
    return 0 if text == "0" else count(text)


def days(text: str) -> int:
    """Parse a number of days, at most a hundred years, as dates do not go back much further."""
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > MOST_DAYS:
        raise ValueError(f"{text!r} is not a number of days from 1 to {MOST_DAYS}")
    return int(text)


def licence(text: str) -> str:
    """Parse the identifier of a licence in the SPDX list."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}", text):
        raise ValueError(f"{text!r} is not an SPDX identifier, such as CC0-1.0 or CC-BY-4.0")
    return text


def percent(text: str) -> int:
    """Parse a whole number from 1 to 99."""
    if not re.fullmatch(r"[1-9][0-9]?", text):
        raise ValueError(f"{text!r} is not a whole number from 1 to 99")
    return int(text)


def port(text: str) -> int:
    """Parse a port number."""
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > 65535:
        raise ValueError(f"{text!r} is not a port from 1 to 65535")
    return int(text)


def address(text: str) -> str:
    """Parse an IP address."""
    return str(ipaddress.ip_address(text))


def networks(text: str) -> str:
    """Parse IP networks or addresses, separated by commas."""
    found = [str(ipaddress.ip_network(part.strip(), strict=False)) for part in text.split(",")]
    return ",".join(found)


def parts(text: str, form: str) -> SplitResult:
    """Split a URL; the error message does not repeat any part of it."""
    try:
        address = urlsplit(text)
        _ = address.port  # evaluated only now, and may raise
    except ValueError:
        raise ValueError(f"is not of the form {form}") from None
    return address


def site(text: str) -> str:
    """Parse the address of a site: scheme, host and port."""
    form = "https://host or https://host:port"
    address = parts(text, form)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError(f"is not of the form {form}")
    if address.path not in {"", "/"} or address.query or address.fragment or address.username:
        raise ValueError("has more than a scheme, a host and a port")
    return text.removesuffix("/")


def secret(text: str) -> str:
    """Parse a secret of the minimum length."""
    if len(text) < SECRET_LENGTH:
        raise ValueError(f"has fewer than {SECRET_LENGTH} characters")
    return text


def key(text: str) -> bytes:
    """Parse 32 bytes in hexadecimal."""
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError("is not a key of 64 lower-case hexadecimal digits")
    return bytes.fromhex(text)


def public_keys(text: str) -> tuple[str, ...]:
    """Parse public keys of 32 bytes in hexadecimal, separated by commas."""
    return tuple(key(part.strip()).hex() for part in text.split(",") if part.strip())


def contact(text: str) -> str:
    """Parse a contact URI; an email address, with or without a name, becomes `mailto:`."""
    if re.fullmatch(r"(?:https://|mailto:|tel:)[!-~]+", text):
        return text
    _, address = parseaddr(text)
    if not re.fullmatch(r"[!-~]+@[!-~]+", address):
        raise ValueError(f"{text!r} is no email address and does not begin with https://")
    return f"mailto:{address}"


def day(text: str) -> date:
    """Parse a date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date of the form 2030-12-31") from None


def database(text: str) -> str:
    """Parse the URL of a PostgreSQL database."""
    form = "postgresql://user:password@host:port/name"
    address = parts(text, form)
    if address.scheme not in _DATABASES or not address.path.strip("/"):
        raise ValueError(f"is not of the form {form}")
    return text


def mailer(text: str) -> str:
    """Parse the URL of a mail server."""
    form = "smtp+tls://user:password@host:port"
    address = parts(text, form)
    if address.scheme not in _MAILERS or not address.hostname:
        raise ValueError(f"is not of the form {form}")
    return text


def store(text: str) -> str:
    """Parse the kind of a store."""
    if text not in STORES:
        raise ValueError(f"{text!r} is none of {', '.join(STORES)}")
    return text


def broker(text: str) -> str:
    """Parse the URL of a Redis or Valkey server."""
    form = "redis://host:port/0 or redis+socket:///path"
    address = parts(text, form)
    is_socket = address.scheme == "redis+socket" and len(address.path) > 1
    if not is_socket and not (address.scheme in _BROKERS and address.hostname):
        raise ValueError(f"is not of the form {form}")
    return text


def host_name(text: str) -> str:
    """Parse the name of a host, which is also used for its queue."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text):
        raise ValueError(f"{text!r} is not up to 64 letters, digits, dots, hyphens and _")
    return text


def this_machine() -> str:
    """Return the name of this machine, with characters replaced that host names exclude."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname()).strip(".-")[:64] or "here"


def place(text: str) -> str:
    """Parse a host and a port."""
    host, _, number = text.rpartition(":")
    if not host or "/" in host:
        raise ValueError(f"{text!r} is not of the form host:port")
    port(number)
    return text


def referee(text: str) -> str:
    """Parse the control address of a referee: a socket, or a host and a port."""
    return text if text.startswith("unix:/") else place(text)
