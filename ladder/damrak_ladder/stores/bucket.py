"""A store of contents as objects in an S3 bucket."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.stores.errors import ContentDamaged, StoreUnreachable
from damrak_ladder.stores.store import name_at, place_of

if TYPE_CHECKING:
    from damrak_ladder.installation.buckets import Bucket

CONNECT_S: Final = 3
ANSWER_S: Final = 15
ATTEMPTS: Final = 3
"""How often the client tries a request, with increasing back-off, before it fails."""

_SUM: Final = "sha256"
_ABSENT: Final = frozenset({"404", "NoSuchKey", "NotFound"})
_EXISTS: Final = frozenset({"412", "PreconditionFailed"})
_UNCONDITIONAL: Final = frozenset({"501", "NotImplemented"})


@dataclass(frozen=True, slots=True)
class BucketStore:
    """A store in a part of a bucket, which any number of machines can share."""

    bucket: Bucket
    folder: str
    suffix: str = ""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Store the data permanently; keep existing data of this name unless `replace` is set.

        Concurrent calls are harmless, even with a server that does not support conditions, as a
        name always has the same content.

        Raises:
            StoreUnreachable
        """
        if not replace and self.has(name):
            return
        md5 = hashlib.md5(data, usedforsecurity=False).digest()
        sent: dict[str, Any] = {
            "Key": self._key(name),
            "Body": data,
            "ContentMD5": base64.b64encode(md5).decode(),  # checked by every server
            "Metadata": {_SUM: hashlib.sha256(data).hexdigest()},
        }
        if replace:
            self._put(sent)
            return
        code = self._put(sent | {"IfNoneMatch": "*"}, _EXISTS | _UNCONDITIONAL)
        if code in _UNCONDITIONAL:
            self._put(sent)

    def get(self, name: str) -> bytes | None:
        """Return the data stored under this name, or None.

        Raises:
            StoreUnreachable
            ContentDamaged: it has been changed.
        """
        with self._asking(_ABSENT) as refusal:
            answer = self._client.get_object(Bucket=self.bucket.name, Key=self._key(name))
            data: bytes = answer["Body"].read()
        if refusal.code:
            return None
        # Some servers return these names with capitals.
        sums = {name.lower(): value for name, value in answer.get("Metadata", {}).items()}
        wanted = sums.get(_SUM)
        if wanted is not None and hashlib.sha256(data).hexdigest() != wanted:
            raise ContentDamaged("has been changed")
        return data

    def has(self, name: str) -> bool:
        """Return whether there is data under this name.

        Raises:
            StoreUnreachable
        """
        with self._asking(_ABSENT) as refusal:
            self._client.head_object(Bucket=self.bucket.name, Key=self._key(name))
        return not refusal.code

    def names(self) -> Iterator[str]:
        """Yield all names, in order.

        Raises:
            StoreUnreachable
        """
        start = self._key("")
        pages = self._client.get_paginator("list_objects_v2")
        with self._asking():
            for page in pages.paginate(Bucket=self.bucket.name, Prefix=start):
                for found in page.get("Contents", ()):
                    name = name_at(found["Key"].removeprefix(start), self.suffix)
                    if name is not None:
                        yield name

    def check(self) -> None:
        """Check that the store can be used.

        Raises:
            StoreUnreachable
        """
        with self._asking():
            self._client.head_bucket(Bucket=self.bucket.name)

    def _put(self, sent: dict[str, Any], expected: frozenset[str] = frozenset()) -> str:
        """Send an object; return the code of an expected refusal, or an empty string."""
        with self._asking(expected) as refusal:
            self._client.put_object(Bucket=self.bucket.name, **sent)
        return refusal.code

    def _key(self, name: str) -> str:
        place = place_of(name, self.suffix) if name else ""
        return f"{self.bucket.prefix}{self.folder}/{place}"

    @property
    def _client(self) -> Any:
        return _client_of(self.bucket, os.getpid())

    @contextmanager
    def _asking(self, expected: frozenset[str] = frozenset()) -> Iterator[_Refusal]:
        """Map errors of requests to StoreUnreachable; record expected codes in the refusal."""
        from botocore.exceptions import (  # type: ignore[import-untyped]
            BotoCoreError,
            ClientError,
            HTTPClientError,
        )

        refusal = _Refusal()
        where = f"bucket {self.bucket.name} at {self.bucket.endpoint or 'Amazon'}"
        try:
            yield refusal
        except ClientError as problem:
            code = str(problem.response.get("Error", {}).get("Code", ""))
            if code not in expected:
                why = _WHY.get(code, str(problem))
                raise StoreUnreachable(f"{where}: {why}") from None
            refusal.code = code
        except (BotoCoreError, HTTPClientError, OSError) as problem:
            raise StoreUnreachable(f"{where}: {problem}") from None


@dataclass(slots=True)
class _Refusal:
    code: str = ""


_WHY: Final = {
    "NoSuchBucket": "there is no such bucket (DAMRAK_LADDER_S3_BUCKET)",
    "InvalidAccessKeyId": "no such key (DAMRAK_LADDER_S3_KEY)",
    "SignatureDoesNotMatch": "wrong secret (DAMRAK_LADDER_S3_SECRET)",
    # Codes of HEAD requests, whose answers have no body.
    "404": "there is no such bucket (DAMRAK_LADDER_S3_BUCKET)",
    "403": "forbidden (DAMRAK_LADDER_S3_KEY, DAMRAK_LADDER_S3_SECRET)",
}


@lru_cache(maxsize=4)
def _client_of(bucket: Bucket, _process: int) -> Any:
    """Return a client for this process, as connections do not survive a fork."""
    # Imported here, as it takes long, and only installations with a bucket have the package.
    from boto3.session import Session  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    return Session().client(
        "s3",
        endpoint_url=bucket.endpoint,
        region_name=bucket.region,
        aws_access_key_id=bucket.key,
        aws_secret_access_key=bucket.secret,
        config=Config(
            connect_timeout=CONNECT_S,
            read_timeout=ANSWER_S,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            # A self-hosted server has no host names for buckets.
            s3={"addressing_style": "path" if bucket.endpoint else "auto"},
            # Not every server supports Amazon's newer checksums; ours are in the metadata.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )
