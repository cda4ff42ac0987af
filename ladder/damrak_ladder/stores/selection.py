"""The choice between the stores, according to the settings."""

from __future__ import annotations

from django.conf import settings

from damrak_ladder.stores.bucket import BucketStore
from damrak_ladder.stores.folder import FolderStore
from damrak_ladder.stores.rows import Content, RowStore
from damrak_ladder.stores.store import Store


def chosen_store(choice: str, folder: str, table: type[Content], suffix: str = "") -> Store:
    """Return the store of this kind; `folder` is also its name in a bucket."""
    match choice:
        case "s3":
            assert settings.DAMRAK_BUCKET is not None  # the settings have been checked
            return BucketStore(settings.DAMRAK_BUCKET, folder, suffix)
        case "folder":
            return FolderStore(settings.DAMRAK_HOME / folder, suffix)
        case _:
            return RowStore(table)
