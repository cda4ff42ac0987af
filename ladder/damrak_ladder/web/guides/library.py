"""The documents that may be read on the site: those of the repository, and no other file.

In a source tree they lie in `docs/`; a wheel carries a copy beside this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[2]
_PLACES: Final = (_PACKAGE / "documents", _PACKAGE.parents[1] / "docs")
_PICTURES: Final = ".svg"


@dataclass(frozen=True, slots=True)
class Library:
    """Documents by name, such as `bot-authors/tutorial`, and pictures by path."""

    root: Path
    documents: dict[str, Path]
    pictures: dict[str, Path]


@cache
def library() -> Library:
    """What is there. Names are looked up in it, never put together from an address."""
    root = next((place for place in _PLACES if (place / "rules.md").is_file()), _PLACES[0])
    return Library(
        root=root,
        documents={
            path.relative_to(root).with_suffix("").as_posix(): path
            for path in sorted(root.rglob("*.md"))
        },
        pictures={
            path.relative_to(root).as_posix(): path for path in sorted(root.rglob(f"*{_PICTURES}"))
        },
    )


@cache
def title_of(name: str) -> str:
    """The heading that a document begins with."""
    with library().documents[name].open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip() or name


def rules_in(language: str) -> tuple[str, str]:
    """The document with the rules in this language, or in English; and which of them it is."""
    if language != "en" and f"rules/{language}" in library().documents:
        return f"rules/{language}", language
    return "rules", "en"
