"""Storage of static files under hashed names."""

from __future__ import annotations

from typing import Any

from whitenoise.storage import (  # type: ignore[import-untyped]
    CompressedManifestStaticFilesStorage,
)


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """The storage of Django and WhiteNoise, with support for JavaScript modules.

    If nothing has been collected, as in tests and in processes that serve nothing, files keep their
    own names.
    """

    support_js_module_import_aggregation = True

    def read_manifest(self) -> str | None:
        """Return the manifest of the collected names; None if there is none."""
        if self.base_location is None:
            return None
        found: str | None = super().read_manifest()
        return found

    def stored_name(self, name: str) -> Any:
        """Return the stored name of this file."""
        return super().stored_name(name) if self.hashed_files else name
