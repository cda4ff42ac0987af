"""A store of contents as rows, for installations that have only a database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import models


class Content(models.Model):
    """A content under its hash."""

    hash = models.CharField(max_length=64, primary_key=True)
    data = models.BinaryField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.hash


@dataclass(frozen=True, slots=True)
class RowStore:
    """A store of rows in a table."""

    table: type[Content]

    def put(self, name: str, data: bytes, *, replace: bool = False) -> None:
        """Store the data permanently; keep existing data of this name unless `replace` is set."""
        how: dict[str, Any] = {"ignore_conflicts": True}
        if replace:
            how = {"update_conflicts": True, "update_fields": ["data"], "unique_fields": ["hash"]}
        self.table._default_manager.bulk_create([self.table(hash=name, data=data)], **how)

    def get(self, name: str) -> bytes | None:
        """Return the data stored under this name, or None."""
        row = self.table._default_manager.filter(pk=name).first()
        return None if row is None else bytes(row.data)

    def has(self, name: str) -> bool:
        """Return whether there is data under this name."""
        return self.table._default_manager.filter(pk=name).exists()

    def names(self) -> Iterator[str]:
        """Return all names, in order."""
        rows = self.table._default_manager.order_by("pk").values_list("pk", flat=True)
        return rows.iterator(chunk_size=1000)

    def check(self) -> None:
        """Do nothing: the store is available if the database is."""
