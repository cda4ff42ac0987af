"""The platform's key, and what it signs (docs/replay.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from damrak_ladder.installation.secrets import keep_once

KEY_FILE: Final = "replay-key"


@dataclass(frozen=True, slots=True)
class PlatformKey:
    """An Ed25519 key."""

    private: Ed25519PrivateKey

    @classmethod
    def at(cls, home: Path) -> PlatformKey:
        """The key of this installation; made the first time somebody asks for it."""
        kept = keep_once(home / KEY_FILE, lambda: Ed25519PrivateKey.generate().private_bytes_raw())
        return cls.of_bytes(kept)

    @classmethod
    def of_bytes(cls, private: bytes) -> PlatformKey:
        """The key with these 32 bytes."""
        return cls(Ed25519PrivateKey.from_private_bytes(private))

    @property
    def public(self) -> str:
        """The key by which everybody can check, in hexadecimal."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, hash_: str) -> str:
        """The signature of the 64 characters of a hash, in hexadecimal."""
        return self.private.sign(hash_.encode("ascii")).hex()

    def has_signed(self, hash_: str, signature: str) -> bool:
        """Whether the signature of this hash is by this key."""
        try:
            self.private.public_key().verify(bytes.fromhex(signature), hash_.encode("ascii"))
        except InvalidSignature:
            return False
        return True


def platform_key() -> PlatformKey:
    """The key in use. Where several machines record matches, the settings have to name it."""
    if settings.DAMRAK_REPLAY_KEY is not None:
        return PlatformKey.of_bytes(settings.DAMRAK_REPLAY_KEY)
    return PlatformKey.at(settings.DAMRAK_HOME)
