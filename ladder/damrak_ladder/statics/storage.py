"""Files under names that change with their content."""

from __future__ import annotations

from typing import Any

from whitenoise.storage import (  # type: ignore[import-untyped]
    CompressedManifestStaticFilesStorage,
)


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Django's and WhiteNoise's, for scripts that import one another.

    Where nothing has been collected, as in tests and in processes that serve nothing, files have
    their own names.
    """

    support_js_module_import_aggregation = True

    def read_manifest(self) -> str | None:
        """The names as they were collected; None if they were not."""
        if self.base_location is None:
            return None
        found: str | None = super().read_manifest()
        return found

    def stored_name(self, name: str) -> Any:
        """What this file is called."""
        return super().stored_name(name) if self.hashed_files else name
