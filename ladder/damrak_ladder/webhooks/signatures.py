"""Secrets and signatures of endpoints, by the Standard Webhooks specification."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac

from damrak_ladder.notices.signatures import HEADER, signature, standard_headers, standard_secret
from damrak_ladder.webhooks.models import Endpoint

_PURPOSE: Final = "damrak.webhooks"


def secret_of(salt: str) -> str:
    """Return the secret derived from a salt and this installation's key; it is not stored."""
    return standard_secret(_key(salt))


def headers_of(endpoint: Endpoint, message: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers of a post; after a rotation the former secret signs, too."""
    salts = [endpoint.salt]
    if endpoint.former_until is not None and now < endpoint.former_until:
        salts.append(endpoint.former_salt)
    return {
        **standard_headers([_key(salt) for salt in salts], message, body, now),
        HEADER: signature(secret_of(endpoint.salt), body, now),
    }


def _key(salt: str) -> bytes:
    return salted_hmac(_PURPOSE, salt, algorithm="sha256").digest()
