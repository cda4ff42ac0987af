"""The catalogues on disk: `locale/<language>/LC_MESSAGES/django.po`, and the compiled files."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE: Final = Path(__file__).parents[1]
LOCALE: Final = PACKAGE / "locale"
LANGUAGES: Final = ("da", "nb", "nl", "fi", "pl")
"""All languages except English, in which the texts are written."""

# Defined here rather than taken from the files: they select the plural form of a number.
PLURALS: Final = {
    "da": "nplurals=2; plural=(n != 1);",
    "nb": "nplurals=2; plural=(n != 1);",
    "nl": "nplurals=2; plural=(n != 1);",
    "fi": "nplurals=2; plural=(n != 1);",
    "pl": (
        "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
    ),
}


def source_of(language: str, locale: Path = LOCALE) -> Path:
    """Return the path of the source file of this language."""
    return locale / language / "LC_MESSAGES" / "django.po"


def read(language: str, locale: Path = LOCALE) -> Catalog:
    """Return the catalogue of a language; an empty one if there is none yet."""
    path = source_of(language, locale)
    data = path.read_bytes() if path.exists() else _header(language)
    return read_po(BytesIO(data), locale=language)


def update(language: str, template: Catalog, locale: Path = LOCALE) -> None:
    """Add new texts to a catalogue and remove unused ones, without fuzzy matching."""
    catalogue = read(language, locale)
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    path = source_of(language, locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = BytesIO()
    write_po(
        written, catalogue, width=100, sort_output=True, include_lineno=False, omit_header=True
    )
    path.write_bytes(_header(language) + b"\n" + written.getvalue())


def compile_all(locale: Path = LOCALE) -> Iterator[Path]:
    """Compile the catalogues that have changed; yield the files that were written."""
    for source in sorted(locale.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        written = BytesIO()
        write_mo(written, catalogue)
        draft = target.with_suffix(".draft")  # a site may be reading the old file
        draft.write_bytes(written.getvalue())
        draft.replace(target)
        yield target


def _header(language: str) -> bytes:
    lines = [
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        f"Language: {language}",
        f"Plural-Forms: {PLURALS[language]}",
    ]
    return "\n".join(['msgid ""', 'msgstr ""', *(f'"{x}\\n"' for x in lines), ""]).encode()
