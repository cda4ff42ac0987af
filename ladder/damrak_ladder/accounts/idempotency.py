"""Idempotency keys: a request that is repeated with its key is answered once and the same.

A key is reserved before the request is processed. The effect and the stored answer are committed
together, so a process that dies leaves either both or neither; the reservation then expires. The
answer is encrypted with a key derived from the token, of which only the digest is stored, because
an answer may contain a secret.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from damrak_ladder.accounts.errors import KeyInUse, KeyReused
from damrak_ladder.accounts.models import ApiToken, IdempotencyKey

KEPT: Final = timedelta(hours=24)
LEASE: Final = timedelta(minutes=3)
"""The time after which the reservation of a process that has died expires."""

_UNSTORED: Final = frozenset({401, 403, 408, 429})
"""Answers that say nothing about the request itself, so that it may be repeated."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that can be stored."""

    status: int
    headers: dict[str, str]
    body: bytes


def once(
    token: ApiToken,
    secret: str,
    key: str,
    fingerprint: str,
    now: datetime,
    process: Callable[[], Answer],
) -> tuple[Answer, bool]:
    """Process a request, or return the stored answer; return whether it was stored before.

    Raises:
        KeyReused: the key belongs to another request.
        KeyInUse: a request with this key is still being processed.
    """
    cipher = Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"answer:{secret}".encode()).digest()))
    row = _reserve(token, key, fingerprint, now)
    if row.answer is not None:
        return _unsealed(cipher, bytes(row.answer)), True
    is_stored = False
    try:
        with transaction.atomic():
            answer = process()
            is_good = answer.status < 500 and answer.status not in _UNSTORED
            if is_good:
                mine = IdempotencyKey.objects.filter(pk=row.pk, lease_until=row.lease_until)
                is_stored = bool(mine.update(answer=_sealed(cipher, answer), lease_until=None))
            if answer.status >= 500 or (is_good and not is_stored):
                transaction.set_rollback(True)
        if is_good and not is_stored:  # the lease expired, and another process took over
            raise KeyInUse(key)
        return answer, False
    finally:
        if not is_stored:
            IdempotencyKey.objects.filter(pk=row.pk, lease_until=row.lease_until).delete()


def old_keys(now: datetime) -> QuerySet[IdempotencyKey]:
    """Return the keys whose retention period is over."""
    return IdempotencyKey.objects.filter(created__lt=now - KEPT)


def _reserve(token: ApiToken, key: str, fingerprint: str, now: datetime) -> IdempotencyKey:
    """Return the row of a key: one with an answer, or one that is reserved for this request."""
    old_keys(now).filter(token=token, key=key).delete()
    lease = now + LEASE
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(
                token=token, key=key, fingerprint=fingerprint, created=now, lease_until=lease
            )
    except IntegrityError:
        pass
    row = IdempotencyKey.objects.filter(token=token, key=key).first()
    if row is None:  # it was released in this moment
        raise KeyInUse(key)
    if row.fingerprint != fingerprint:
        raise KeyReused(key)
    if row.answer is None:
        expired = Q(pk=row.pk, answer=None, lease_until__lt=now)
        if not IdempotencyKey.objects.filter(expired).update(lease_until=lease):
            raise KeyInUse(key)
        row.lease_until = lease
    return row


def _sealed(cipher: Fernet, answer: Answer) -> bytes:
    body = base64.b64encode(answer.body).decode()
    said = {"status": answer.status, "headers": answer.headers, "body": body}
    return cipher.encrypt(json.dumps(said).encode())


def _unsealed(cipher: Fernet, sealed: bytes) -> Answer:
    said = json.loads(cipher.decrypt(sealed))
    return Answer(said["status"], said["headers"], base64.b64decode(said["body"]))
