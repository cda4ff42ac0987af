"""The documents shown on the site: those of the repository, and no other file.

In a source tree they are in `docs/`; a wheel has a copy beside this package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[2]
_PLACES: Final = (_PACKAGE / "documents", _PACKAGE.parents[1] / "docs")
PICTURES: Final = {".svg": "image/svg+xml", ".webp": "image/webp"}
"""The content types of pictures, by the end of their names."""
_OPTION: Final = re.compile(r"^\| `(\w+)` \| [^|]* \| (.*?) ([A-Z]-\w+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Library:
    """Documents by name, such as `bot-authors/tutorial`, and pictures by path."""

    root: Path
    documents: dict[str, Path]
    pictures: dict[str, Path]


@cache
def library() -> Library:
    """Return all documents. Names from requests are looked up here, never turned into paths."""
    root = next((place for place in _PLACES if (place / "rules.md").is_file()), _PLACES[0])
    return Library(
        root=root,
        documents={
            path.relative_to(root).with_suffix("").as_posix(): path
            for path in sorted(root.rglob("*.md"))
        },
        pictures={
            path.relative_to(root).as_posix(): path
            for path in sorted(root.rglob("*"))
            if path.suffix in PICTURES
        },
    )


@cache
def title_of(name: str) -> str:
    """Return the heading that a document begins with."""
    with library().documents[name].open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip() or name


def rules_in(language: str) -> tuple[str, str]:
    """Return the name and language of the rules in this language, or else in English."""
    if language != "en" and f"rules/{language}" in library().documents:
        return f"rules/{language}", language
    return "rules", "en"


@cache
def option_effects(language: str) -> dict[str, str]:
    """Return what each rule option decides, from the table of options in the rules."""
    name, _ = rules_in(language)
    text = library().documents[name].read_text("utf-8")
    return {
        option: f"{effect.replace('`', '')} ({clause})"
        for option, effect, clause in _OPTION.findall(text)
    }
