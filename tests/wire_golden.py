"""The contents of the files under tests/wire/golden/: messages as bytes and as text.

`.ci/regen-wire` writes them. `messages.txt` contains the current messages. Messages whose encoding
has changed move to `older.txt`, which only grows, because clients of an older protocol continue to
send them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf import text_format
from google.protobuf.message import Message

from wire_samples import Parse, samples

FOLDER = Path(__file__).parent / "wire" / "golden"
TODAY = FOLDER / "messages.txt"
OLDER = FOLDER / "older.txt"
LARGEST = 3000  # bytes; other golden files cover boards


@dataclass(frozen=True)
class Golden:
    """A message in a file: its name, its bytes, and its text."""

    name: str
    data: bytes
    text: str

    def __str__(self) -> str:
        return f"== {self.name}\n{self.data.hex()}\n{self.text}\n"


def text_of(kind: type[Message], data: bytes) -> str:
    """Return the message as readable text."""
    message = kind.FromString(data)
    return text_format.MessageToString(
        message, use_short_repeated_primitives=True, as_utf8=True
    ).rstrip()


def kinds() -> dict[str, tuple[type[Message], Parse]]:
    """Return the message class and the parser for each name."""
    return {sample.name: (sample.kind, sample.parse) for sample in samples()}


def said_today() -> list[Golden]:
    """Return the expected contents of the file of current messages."""
    return [
        Golden(sample.name, sample.data, text_of(sample.kind, sample.data))
        for sample in samples()
        if len(sample.data) <= LARGEST
    ]


def read(path: Path) -> list[Golden]:
    """Return the messages in a file, which need not exist."""
    if not path.exists():
        return []
    found = []
    for block in path.read_text("utf-8").split("== ")[1:]:
        name, data, *text = block.split("\n")
        found.append(Golden(name, bytes.fromhex(data), "\n".join(text).rstrip()))
    return found


def regenerate() -> None:
    """Write the files."""
    now = said_today()
    texts = {(golden.name, golden.text) for golden in now}
    names = {golden.name for golden in now}
    was = read(TODAY)
    # Messages whose names are no longer in use are dropped, because nothing parses them.
    older = [one for one in was if one.name in names and (one.name, one.text) not in texts]
    FOLDER.mkdir(exist_ok=True)
    if older:
        with OLDER.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{golden}" for golden in older)
    TODAY.write_text("".join(f"{golden}" for golden in now), encoding="utf-8", newline="\n")
