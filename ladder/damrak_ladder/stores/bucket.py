"""Contents as objects in a bucket, reached by the protocol of Amazon's S3."""

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
"""So often the client tries, with growing pauses, before whoever asked is told."""

_SUM: Final = "sha256"
_ABSENT: Final = frozenset({"404", "NoSuchKey", "NotFound"})
_EXISTS: Final = frozenset({"412", "PreconditionFailed"})
_UNCONDITIONAL: Final = frozenset({"501", "NotImplemented"})


@dataclass(frozen=True, slots=True)
class BucketStore:
    """Keeps contents in a part of a bucket. It can be shared by any number of machines."""

    bucket: Bucket
    folder: str
    suffix: str = ""

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Keep it for good. What is there under this name remains, unless it is to be replaced.

        Two who put in the same at once do no harm, even where the server knows no conditions:
        whatever has this name has this content.

        Raises:
            StoreUnreachable
        """
        if not replace and self.has(name):
            return
        md5 = hashlib.md5(data, usedforsecurity=False).digest()
        sent: dict[str, Any] = {
            "Key": self._key(name),
            "Body": data,
            "ContentMD5": base64.b64encode(md5).decode(),  # every server checks this one
            "Metadata": {_SUM: hashlib.sha256(data).hexdigest()},
        }
        if replace:
            self._put(sent)
            return
        code = self._put(sent | {"IfNoneMatch": "*"}, _EXISTS | _UNCONDITIONAL)
        if code in _UNCONDITIONAL:
            self._put(sent)

    def get(self, name: str) -> bytes | None:
        """What was put there; None if nothing was.

        Raises:
            StoreUnreachable
            ContentDamaged: it is something else.
        """
        with self._asking(_ABSENT) as refusal:
            answer = self._client.get_object(Bucket=self.bucket.name, Key=self._key(name))
            data: bytes = answer["Body"].read()
        if refusal.code:
            return None
        # Some servers write these names with capitals.
        sums = {name.lower(): value for name, value in answer.get("Metadata", {}).items()}
        wanted = sums.get(_SUM)
        if wanted is not None and hashlib.sha256(data).hexdigest() != wanted:
            raise ContentDamaged("has been changed")
        return data

    def has(self, name: str) -> bool:
        """Whether something is there.

        Raises:
            StoreUnreachable
        """
        with self._asking(_ABSENT) as refusal:
            self._client.head_object(Bucket=self.bucket.name, Key=self._key(name))
        return not refusal.code

    def names(self) -> Iterator[str]:
        """All that is there, in order of names.

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
        """See whether it can be used.

        Raises:
            StoreUnreachable
        """
        with self._asking():
            self._client.head_bucket(Bucket=self.bucket.name)

    def _put(self, sent: dict[str, Any], expected: frozenset[str] = frozenset()) -> str:
        """Send it; the code of a refusal that was to be expected, else nothing."""
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
        """Ask for something; what was refused for an expected reason, if anything."""
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
    # To those who asked for no more than a head.
    "404": "there is no such bucket (DAMRAK_LADDER_S3_BUCKET)",
    "403": "forbidden (DAMRAK_LADDER_S3_KEY, DAMRAK_LADDER_S3_SECRET)",
}


@lru_cache(maxsize=4)
def _client_of(bucket: Bucket, _process: int) -> Any:
    """A client of this process: connections do not survive a fork."""
    # Here, because only those who keep contents in a bucket have the package, and it takes long.
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
            # Names of buckets are no names of hosts where the server is one's own.
            s3={"addressing_style": "path" if bucket.endpoint else "auto"},
            # Not every server knows Amazon's newer sums; ours are in the metadata.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )
