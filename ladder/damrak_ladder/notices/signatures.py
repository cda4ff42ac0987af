"""Signatures of webhooks, which prove the sender and the time."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac

HEADER: Final = "X-Damrak-Signature"
_PURPOSE: Final = "damrak.notices.webhook"


def new_salt() -> str:
    """Return a random salt, which makes a secret unique."""
    return secrets.token_hex(16)


def secret_of(salt: str) -> str:
    """Return the secret derived from a salt and this installation's key; it is not stored."""
    return salted_hmac(_PURPOSE, salt, algorithm="sha256").hexdigest()


def signature(secret: str, body: bytes, now: datetime) -> str:
    """Return the value of the header: `t=<Unix time>,v1=<HMAC-SHA256 in hexadecimal>`."""
    moment = str(int(now.timestamp()))
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    return f"t={moment},v1={signed.hexdigest()}"


def standard_secret(key: bytes) -> str:
    """Return a key in the form of the Standard Webhooks specification."""
    return "whsec_" + base64.b64encode(key).decode("ascii")


def standard_headers(
    keys: Sequence[bytes], message: str, body: bytes, now: datetime
) -> dict[str, str]:
    """Return the headers of the Standard Webhooks specification, with a signature by each key."""
    moment = str(int(now.timestamp()))
    content = f"{message}.{moment}.".encode() + body
    signed = [
        base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode("ascii")
        for key in keys
    ]
    return {
        "webhook-id": message,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(f"v1,{one}" for one in signed),
    }
