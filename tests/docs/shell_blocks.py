"""Shell blocks of the documents: fenced as `sh` (commands) or `console` (commands after `$`).

The words after the language state how a block is run: `until Ctrl-C` if its commands do not end by
themselves, and `not run: REASON` if they cannot be run in a test. Other readers do not see these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The order in which a new author reads them.
DOCUMENTS = [
    *("README.md", "docs/bot-authors/tutorial.md", "docs/bot-authors/submitting.md"),
    *("docs/bot-authors/versions.md", "docs/bot-authors/cli.md", "docs/api.md", "docs/data.md"),
]
DOCUMENTS += [
    name
    for path in sorted(ROOT.glob("docs/bot-authors/*.md"))
    if (name := str(path.relative_to(ROOT))) not in DOCUMENTS
]
SHELL = ("sh", "console")
UNTIL_STOPPED = "until Ctrl-C"
NOT_RUN = "not run: "
_BLOCK = re.compile(r"^ *```(\S*) *([^\n]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.py)\n")
_CONTINUED = "\\"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a document."""

    document: str
    line: int
    language: str
    how: str
    text: str

    @property
    def name(self) -> str:
        """Its place."""
        return f"{self.document}:{self.line}"

    @property
    def reason(self) -> str | None:
        """Why it is not run, or None."""
        return self.how.removeprefix(NOT_RUN) if self.how.startswith(NOT_RUN) else None

    @property
    def file(self) -> str | None:
        """The name of the file that a block of Python shows, if its first line states one."""
        named = _FILE.match(self.text)
        return named[1] if self.language == "python" and named else None

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, with their continuation lines."""
        found: list[str] = []
        is_open = False
        for line in self.text.splitlines():
            if is_open:
                found[-1] += f"\n{line}"
            elif self.language == "sh" and line.strip():
                found.append(line.strip())
            elif line.lstrip().startswith("$ "):
                found.append(line.lstrip().removeprefix("$ "))
            else:
                continue  # output
            is_open = line.endswith(_CONTINUED)
        return found


def blocks_of(document: str) -> list[Block]:
    """Return all fenced blocks of a document, in order."""
    text = (ROOT / document).read_text("utf-8")
    return [
        Block(document, text[: found.start()].count("\n") + 1, found[1], found[2], found[3])
        for found in _BLOCK.finditer(text)
    ]
