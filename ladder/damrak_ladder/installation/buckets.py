"""Settings of a bucket in an object store, and their parsers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from damrak_ladder.installation.values import parts


@dataclass(frozen=True, slots=True)
class Bucket:
    """The location of a bucket and its credentials."""

    name: str
    endpoint: str | None  # None: Amazon S3
    region: str
    prefix: str  # of all keys; empty, or with a slash at the end
    key: str | None  # None: the machine's own Amazon credentials
    secret: str | None

    def __repr__(self) -> str:
        """Return a text without the credentials."""
        return f"Bucket({self.name!r}, {self.endpoint!r})"


def bucket_name(text: str) -> str:
    """Parse the name of a bucket.

    Raises:
        ValueError
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", text):
        raise ValueError(f"{text!r} is not 3 to 63 lower-case letters, digits, dots and hyphens")
    return text


def endpoint(text: str) -> str:
    """Parse the URL of a server.

    Raises:
        ValueError
    """
    form = "https://host or https://host:port"
    address = parts(text, form)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError(f"is not of the form {form}")
    if address.username or address.query or address.fragment:
        raise ValueError("has more than a scheme, a host, a port and a path")
    return text.removesuffix("/")


def region(text: str) -> str:
    """Parse the name of a region.

    Raises:
        ValueError
    """
    if not re.fullmatch(r"[a-z0-9-]{1,50}", text):
        raise ValueError(f"{text!r} is not lower-case letters, digits and hyphens")
    return text


def prefix(text: str) -> str:
    """Parse the common prefix of all keys.

    Raises:
        ValueError
    """
    if text and not re.fullmatch(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/?)+", text):
        raise ValueError(f"{text!r} is not words with slashes between them")
    return f"{text.removesuffix('/')}/" if text else ""
