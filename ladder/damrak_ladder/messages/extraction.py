"""Extraction of the translatable texts of the site from Python and templates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract as extract_from
from django.utils.translation.template import templatize

KEYWORDS: Final = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
}
COMMENT: Final = "Translators:"

# Django's conversion of a template: tags become calls, everything else becomes X.
_CALL: Final = re.compile(r"(?<!\w)(_|gettext|ngettext|pgettext|npgettext)\(")
_STRING: Final = re.compile(r"""\s*u?("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*,?""", re.DOTALL)
_STRINGS: Final = {"_": 1, "gettext": 1, "ngettext": 2, "pgettext": 2, "npgettext": 3}

Found = tuple[int, str, tuple[str, ...], list[str]]
"""The line, the function, the texts, and the comments for translators."""


def extract(package: Path) -> Catalog:
    """Return all texts below this folder, each with the files that contain it."""
    catalogue = Catalog(project="Damrak", charset="utf-8")
    for path in sorted(package.rglob("*")):
        place = path.relative_to(package).as_posix()
        if path.suffix == ".py":
            with path.open("rb") as file:
                found = list(
                    extract_from("python", file, keywords=KEYWORDS, comment_tags=[COMMENT])
                )
            for line, texts, comments, context in found:
                catalogue.add(texts, None, [(place, line)], auto_comments=comments, context=context)
        elif path.suffix == ".html" or (path.suffix == ".txt" and "templates" in path.parts):
            for line, function, texts, comments in in_template(path.read_text("utf-8"), place):
                context = texts[0] if "pgettext" in function else None
                texts = texts[1:] if context else texts
                text = texts if len(texts) == 2 else texts[0]
                catalogue.add(text, None, [(place, line)], auto_comments=comments, context=context)
    return catalogue


def in_template(source: str, name: str) -> Iterator[Found]:
    """Yield the texts in a Django template."""
    told = templatize(source, origin=name)
    for call in _CALL.finditer(told):
        texts: list[str] = []
        position = call.end()
        while len(texts) < _STRINGS[call[1]] and (string := _STRING.match(told, position)):
            texts.append(str(ast.literal_eval(_single_line(string[1]))))
            position = string.end()
        if len(texts) == _STRINGS[call[1]]:
            yield told.count("\n", 0, call.start()) + 1, call[1], tuple(texts), []


def _single_line(literal: str) -> str:
    return literal.replace("\n", "\\n")
