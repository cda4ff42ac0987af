"""Checks of a catalogue: missing, fuzzy and unused texts, and differing variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from babel.messages.catalog import Catalog, Message

_VARIABLE: Final = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")
_EDGE: Final = re.compile(r"^(\n*).*?(\n*)$", re.DOTALL)


def problems(template: Catalog, catalogue: Catalog) -> Iterator[str]:
    """Yield one line for each problem to fix before this language is complete."""
    wanted = {_key(message): message for message in template if message.id}
    present = {_key(message): message for message in catalogue if message.id}
    for key in sorted(wanted.keys() - present.keys(), key=str):
        yield f"missing: {key[0]!r}"
    for key in sorted(present.keys() - wanted.keys(), key=str):
        yield f"unused: {key[0]!r}"
    for key in sorted(wanted.keys() & present.keys(), key=str):
        yield from _problems_of(present[key], wanted[key], catalogue.num_plurals)


def _problems_of(message: Message, original: Message, plurals: int) -> Iterator[str]:
    ids, strings = _forms(original.id), _forms(message.string)
    name = repr(ids[0])
    if len(ids) != len(_forms(message.id)) or (len(ids) > 1 and ids != _forms(message.id)):
        yield f"another plural: {name}"
        return
    if not all(strings):
        yield f"untranslated: {name}"
        return
    if message.fuzzy:
        yield f"fuzzy: {name}"
    if len(strings) != (plurals if len(ids) > 1 else 1):
        yield f"{len(strings)} forms of {name}"
    allowed = [set(_VARIABLE.findall(text)) for text in ids]
    for string in strings:
        # "One game" may leave out the number, and so may its translation.
        if set(_VARIABLE.findall(string)) not in allowed:
            yield f"other variables: {name}: {string!r}"
        if _edges(string) != _edges(ids[0]):
            yield f"other line ends: {name}: {string!r}"


def _key(message: Message) -> tuple[str, str | None]:
    return _forms(message.id)[0], message.context


def _forms(text: str | list[str] | tuple[str, ...] | None) -> list[str]:
    return [text or ""] if text is None or isinstance(text, str) else list(text)


def _edges(text: str) -> tuple[bool, bool]:
    found = _EDGE.match(text)
    assert found  # it matches everything
    return bool(found[1]), bool(found[2])
