"""The platform's signing key for replays (docs/replay.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from damrak_ladder.installation.secrets import keep_once

KEY_FILE: Final = "replay-key"


@dataclass(frozen=True, slots=True)
class PlatformKey:
    """An Ed25519 key, and earlier public keys whose signatures remain valid."""

    private: Ed25519PrivateKey
    earlier: tuple[str, ...] = ()

    @classmethod
    def at(cls, home: Path, earlier: tuple[str, ...] = ()) -> PlatformKey:
        """Return the key of this installation; it is created on first use."""
        kept = keep_once(home / KEY_FILE, lambda: Ed25519PrivateKey.generate().private_bytes_raw())
        return cls.of_bytes(kept, earlier)

    @classmethod
    def of_bytes(cls, private: bytes, earlier: tuple[str, ...] = ()) -> PlatformKey:
        """Return the key with these 32 bytes."""
        return cls(Ed25519PrivateKey.from_private_bytes(private), earlier)

    @property
    def public(self) -> str:
        """Return the public key for verification, in hexadecimal."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, hash_: str) -> str:
        """Return the signature of the 64 characters of a hash, in hexadecimal."""
        return self.private.sign(hash_.encode("ascii")).hex()

    def has_signed(self, hash_: str, signature: str) -> bool:
        """Return whether this key or an earlier one has signed this hash."""
        return any(_is_by(key, hash_, signature) for key in (self.public, *self.earlier))


def platform_key() -> PlatformKey:
    """Return the key in use; if several machines record matches, it is in the settings."""
    earlier = settings.DAMRAK_EARLIER_REPLAY_KEYS
    if settings.DAMRAK_REPLAY_KEY is not None:
        return PlatformKey.of_bytes(settings.DAMRAK_REPLAY_KEY, earlier)
    return PlatformKey.at(settings.DAMRAK_HOME, earlier)


def _is_by(key: str, hash_: str, signature: str) -> bool:
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    try:
        public.verify(bytes.fromhex(signature), hash_.encode("ascii"))
    except InvalidSignature:
        return False
    return True
