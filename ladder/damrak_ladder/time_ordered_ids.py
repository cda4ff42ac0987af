"""Ids that reveal when a row was created, but not how many rows exist.

Ids of blocks and matches are public, and some of these rows are hidden. Gaps in sequential ids
would show how many: for example, whether a hidden pairing needed sudden death. So an id consists of
the time in milliseconds and random bits. It grows like a sequential one, and programs that store
numbers as doubles, such as JavaScript, represent it exactly.

Two processes can generate the same id, with a probability that ADR 46 quantifies. The primary key
rejects the second one, and code that creates many rows tries again (`matches.booking`).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

M = TypeVar("M", bound=models.Model)

RANDOM_BITS: Final = 12
EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
LARGEST: Final = (1 << 53) - 1
"""The largest id, which will be reached in September 2095."""

_EPOCH_MS: Final = round(EPOCH.timestamp() * 1000)
_STEP: Final = 64
_DIGITS: Final = 6
_SHOWN: Final = 10**_DIGITS


class IdGenerator:
    """A generator of increasing ids for all threads of a process.

    While more ids are requested than fit into a millisecond, or after the clock was set back, each
    id exceeds the previous one by a random number.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self._clock = clock
        self._below = below
        self._last = 0
        self._lock = Lock()

    def __call__(self) -> int:
        """Return the next id."""
        passed = int(self._clock() * 1000) - _EPOCH_MS
        fresh = (passed << RANDOM_BITS) + self._below(1 << RANDOM_BITS)
        with self._lock:
            self._last = max(fresh, self._last + 1 + self._below(_STEP))
            return self._last


if TYPE_CHECKING:
    _Base = models.BigIntegerField[int, int]
else:
    _Base = models.BigIntegerField  # at run time it takes no parameters

_generate = IdGenerator()


def new_id() -> int:
    """Return an id that is larger than all earlier ones of this process."""
    return _generate()


def short_form(key: int) -> str:
    """Return the last six digits of an id, for headings and tables that link the row."""
    return str(key) if key < _SHOWN else f"…{key % _SHOWN:0{_DIGITS}}"


class ShortForm(models.Func):
    """The number that `short_form` shows, for conditions and indexes.

    The divisor is part of the SQL, because databases use an index of an expression only for the
    same expression.
    """

    template = f"(%(expressions)s %%%% {_SHOWN})"
    output_field = models.BigIntegerField()


def having_id(rows: models.QuerySet[M, M], text: str) -> list[M]:
    """Return the rows whose id or short form is this text, the newest first."""
    number = text.lstrip("#…")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return []
    found: models.QuerySet[Any, M] = rows.filter(pk=int(number))
    if len(number) == _DIGITS:
        either = models.Q(pk=int(number)) | models.Q(short_form=int(number))
        found = rows.alias(short_form=ShortForm("pk")).filter(either)
    # Not ordered by the database, which could read all rows in this order to find the few.
    return sorted(found.order_by(), key=lambda row: row.pk, reverse=True)


class TimeOrderedIdField(_Base):
    """The primary key of a table whose ids are generated here.

    Rows from before keep their sequential ids, which are smaller.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        """Return the type of the column.

        In SQLite only a primary key of the type INTEGER is the key of the table itself; any other
        type needs a second index.
        """
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)

    def rel_db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        """Return the type of columns that refer to this one."""
        return models.BigIntegerField().db_type(connection)
