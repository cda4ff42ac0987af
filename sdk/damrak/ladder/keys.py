"""The public keys with which a ladder signs replays (docs/replay.md, section 8)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from damrak.errors import LadderError
from damrak.ladder.address import parse_site
from damrak.ladder.site import Site

Keys = tuple[str, ...]
"""Public keys, each as 64 hexadecimal digits."""

_LARGEST: Final = 64 << 10  # maximum size in bytes of a file of keys
_HEX: Final = re.compile(r"[0-9a-fA-F]{64}")


def named_keys(named: str) -> Keys:
    """Return the keys in a file, or those that the ladder at an address publishes.

    Raises:
        LadderError: it is neither a file nor a ladder, or it has no key.
    """
    path = Path(named)
    if path.is_file():
        return _keys_in(path)
    if "://" not in named and (path.exists() or not re.search(r"[.:]|^localhost", named)):
        raise LadderError(f"{named}: neither a file with a key nor the URL of a ladder")
    return _published_by(named)


def has_signed(keys: Keys, hash_: str, signature: str) -> bool:
    """Return whether one of the keys has signed this hash."""
    for key in keys:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        try:
            public.verify(bytes.fromhex(signature), hash_.encode("ascii"))
        except InvalidSignature:
            continue
        return True
    return False


def _published_by(named: str) -> Keys:
    address = parse_site(named, may_be_plain=True)
    if not (address.is_encrypted or address.is_loopback):
        raise LadderError(
            f"{address.text}: without encryption the key could be replaced in transit; use "
            "https://, or save the key to a file and give this file"
        )
    try:
        return _keys_of(Site(address).get("key"))
    except ValueError:
        raise LadderError(f"{address.text}: its response has no Ed25519 key") from None


def _keys_in(path: Path) -> Keys:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError
        text = data.decode("utf-8")
        if text.lstrip().startswith("{"):
            return _keys_of(json.loads(text))
        if "-----BEGIN" in text:
            return _key_of_pem(data)
        lines = (line.partition("#")[0].strip() for line in text.splitlines())
        return _checked([line for line in lines if line])
    except ValueError:
        raise LadderError(
            f"{path}: not an Ed25519 public key; expected 64 hexadecimal digits per line, PEM, "
            "or the response of /api/v1/key of a ladder"
        ) from None


def _key_of_pem(data: bytes) -> Keys:
    key = load_pem_public_key(data)
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("another kind of key")
    return (key.public_bytes_raw().hex(),)


def _keys_of(answer: Any) -> Keys:
    """Return the keys in the answer of a ladder: the current one and those used earlier."""
    if not isinstance(answer, dict) or answer.get("algorithm") != "Ed25519":
        raise ValueError("not the answer of a ladder")
    keys = answer.get("keys", [answer.get("public_key")])
    if not isinstance(keys, list):
        raise ValueError("keys are a list")
    return _checked(keys)


def _checked(keys: list[Any]) -> Keys:
    if not keys or not all(isinstance(key, str) and _HEX.fullmatch(key) for key in keys):
        raise ValueError("not keys")
    return tuple(key.lower() for key in keys)
