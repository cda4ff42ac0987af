"""The table of settings in docs/operators/ladder.md has every setting, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from damrak_ladder.installation.environment import read_environment

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "operators" / "ladder.md"
TEMPLATE = ROOT / "deploy" / "damrak.env.example"


class Asked(dict[str, str]):
    """An empty environment that records the requested names."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, name: str, default: object = None) -> None:  # type: ignore[override]
        self.names.add(name)


def known() -> set[str]:
    asked = Asked()
    read_environment(asked)
    return asked.names


def test_table_is_complete() -> None:
    told = set(
        re.findall(r"^\| `((?:DAMRAK_|DATABASE_)\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)
    )
    assert told == known()


def test_template_has_only_existing_settings() -> None:
    told = re.findall(r"^#? ?(DAMRAK_LADDER_\w+)=", TEMPLATE.read_text(), re.MULTILINE)
    assert set(told) <= known()
