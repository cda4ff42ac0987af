"""A client of the API that openapi-python-client generates from the description."""

from __future__ import annotations

import importlib
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

NAME: Final = "damrak_generated"


@dataclass(frozen=True)
class Package:
    """The generated package: its models, its types, and its operations."""

    folder: Path

    @property
    def models(self) -> Any:
        return importlib.import_module(f"{NAME}.models")

    @property
    def types(self) -> Any:
        return importlib.import_module(f"{NAME}.types")

    @contextmanager
    def calling(self, address: str, token: str) -> Iterator[Callable[..., Any]]:
        """Yield a function that calls an operation by its id."""
        found = {
            file.stem: importlib.import_module(f"{NAME}.api.{file.parent.name}.{file.stem}")
            for file in (self.folder / NAME / "api").glob("*/[a-z]*.py")
        }
        client_type = importlib.import_module(NAME).AuthenticatedClient
        with client_type(base_url=address, token=token, raise_on_unexpected_status=True) as client:

            def run(operation: str, **parameters: Any) -> Any:
                return found[operation].sync_detailed(client=client, **parameters)

            yield run


@contextmanager
def generated(folder: Path, description: str) -> Iterator[Package]:
    """Generate the package from a description, and make it importable."""
    (folder / "openapi.json").write_text(description)
    (folder / "config.yml").write_text("post_hooks: []\n")
    made = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "openapi-python-client"), "generate"),
            *("--path", "openapi.json", "--config", "config.yml"),
            *("--meta", "none", "--output-path", NAME, "--fail-on-warning"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    try:
        yield Package(folder)
    finally:
        sys.path.remove(str(folder))


def act_on(
    call: Callable[..., Any],
    package: Package,
    slug: str,
    kind: str,
    /,
    *,
    dry_run: bool = False,
    **payload: Any,
) -> Any:
    """Act on a tournament at its current serial."""
    models = package.models
    serial = call("get_tournament", slug=slug).headers["ETag"]
    body = models.NewAct(kind=models.ActKind(kind), dry_run=dry_run, reason="for a test")
    body.payload = models.ActPayload.from_dict(payload)
    return call(
        "act_on_tournament",
        slug=slug,
        body=body,
        if_match=serial,
        idempotency_key=uuid.uuid4().hex,
    ).parsed
