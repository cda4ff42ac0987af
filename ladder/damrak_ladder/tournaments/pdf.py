"""Plain PDF files: pages of text in the fonts that every reader has, without any library.

The fonts cover the characters of Western Europe; others become a question mark. Lines are placed
from the top of a page; a line that does not fit begins the next page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Final

WIDTH: Final = 595  # A4, in points
HEIGHT: Final = 842
MARGIN: Final = 48
_ENCODING: Final = "cp1252"
_BODY: Final = 9.5
_LETTER: Final = 0.556  # the width of a digit, and about the mean of letters, of its height


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its left edge, or its right edge if it has numbers."""

    x: float
    title: str
    is_number: bool = False


@dataclass(slots=True)
class Report:
    """A document that is written from top to bottom."""

    title: str
    _pages: list[list[str]] = field(default_factory=list)
    _y: float = 0.0

    def heading(self, text: str, size: float = 13) -> None:
        """Write a heading, together with the line after it."""
        for at, part in enumerate(_lines(text, size)):
            self._move(size * (1.2 if at else 1.9), keep=24)
            self._text(MARGIN, part, size, is_bold=True)

    def line(self, text: str, size: float = _BODY) -> None:
        """Write a paragraph of text."""
        for part in _lines(text, size):
            self._move(size * 1.45)
            self._text(MARGIN, part, size)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Write a table; its titles are repeated on every page."""
        self._titles(columns)
        for row in rows:
            if self._move(_BODY * 1.5):
                self._titles(columns)
                self._move(_BODY * 1.5)
            for column, cell in zip(columns, row, strict=True):
                self._cell(column, cell)

    def content(self) -> bytes:
        """Return the file."""
        return _file(self.title, ["\n".join(one) for one in self._pages or [[]]])

    def _titles(self, columns: Sequence[Column]) -> None:
        self._move(_BODY * 1.9, keep=16)
        for column in columns:
            self._cell(column, column.title, is_bold=True)
        self._pages[-1].append(
            f"{MARGIN} {self._y - 3:.1f} m {WIDTH - MARGIN} {self._y - 3:.1f} l S"
        )

    def _cell(self, column: Column, text: str, *, is_bold: bool = False) -> None:
        x = column.x - _width(text, _BODY) if column.is_number else column.x
        self._text(x, text, _BODY, is_bold=is_bold)

    def _move(self, down: float, keep: float = 0) -> bool:
        """Move down for a line; return whether that began a page."""
        is_new = not self._pages or self._y - down - keep < MARGIN
        if is_new:
            self._pages.append(["0.5 w"])
            self._y = HEIGHT - MARGIN
        self._y -= down
        return is_new and len(self._pages) > 1

    def _text(self, x: float, text: str, size: float, *, is_bold: bool = False) -> None:
        font = "F2" if is_bold else "F1"
        shown = _escaped(text)
        self._pages[-1].append(f"BT /{font} {size:g} Tf {x:.1f} {self._y:.1f} Td ({shown}) Tj ET")


def _lines(text: str, size: float) -> list[str]:
    """Return the lines of a text that fit between the margins."""
    return wrap(text, int((WIDTH - 2 * MARGIN) / (size * _LETTER)))


def _escaped(text: str) -> str:
    plain = "".join(one if one.isprintable() else " " for one in text)
    known = plain.encode(_ENCODING, "replace").decode(_ENCODING)
    return known.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _width(text: str, size: float) -> float:
    """Return the width of digits and the like; others are taken as wide as digits."""
    narrow = sum(one in ".,:/ -()" for one in text)
    return size * (_LETTER * (len(text) - narrow) + 0.29 * narrow)


def _file(title: str, pages: Sequence[str]) -> bytes:
    fonts = 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
    ]
    for at, page in enumerate(pages):
        content = page.encode(_ENCODING, "replace")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {4 + 2 * at}"
            f" 0 R /Resources << /Font << /F1 {fonts} 0 R /F2 {fonts + 1} 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    for name in ("Helvetica", "Helvetica-Bold"):
        font = f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
        objects.append(font.encode())
    objects.append(f"<< /Title ({_escaped(title)}) >>".encode(_ENCODING))
    return _numbered(objects)


def _numbered(objects: Sequence[bytes]) -> bytes:
    """Return the objects with their numbers, and the table of their places."""
    found, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(found))
        found += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    begin, count = len(found), len(objects) + 1
    found += b"xref\n0 %d\n0000000000 65535 f \n" % count
    for place in places:
        found += b"%010d 00000 n \n" % place
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(found + trailer % (count, count - 1, begin))
