"""No module raises or stores a sentence where a message belongs."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

import damrak_ladder
from damrak_archive.errors import REFUSALS
from damrak_ladder.message_codes.catalogue import archives
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import parameter_types
from damrak_ladder.message_codes.model_field import MessageField
from damrak_ladder.message_codes.wording import english
from ladder.message_codes.samples import CLASSES

PACKAGE = Path(damrak_ladder.__file__).parent
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if "migrations" not in path.parts and "message_codes" not in path.parts
)
ERRORS = (
    "damrak_ladder.accounts.errors",
    "damrak_ladder.bots.errors",
    "damrak_ladder.matches.errors",
    "damrak_ladder.tournaments.errors",
    "damrak_ladder.tournaments.log.errors",
    "damrak_ladder.trials.errors",
)
STORED = {
    ("bots", "step", "message"),
    ("bots", "version", "reason"),
    ("matches", "attempt", "detail"),
    ("matches", "block", "trouble"),
    ("matches", "host", "reason"),
}

# The functions that store a message, and the position and name of that argument.
STORING = {
    "note": (2, "message"),
    "advance": (4, "reason"),
    "bench": (1, "reason"),
    "give_up": (2, "detail"),
    "hand_back": (2, "detail"),
    "withdraw": (2, "detail"),
    "quarantine": (1, "reason"),
}


def subclasses(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def is_text(node: ast.AST | None) -> bool:
    """Return whether an argument is a sentence: a literal, or something made with `str`."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "str"
    if isinstance(node, ast.BinOp):
        return is_text(node.left) or is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize("module", ERRORS)
def test_all_errors_have_a_message(module: str):
    found = importlib.import_module(module)
    errors = [
        kind
        for _, kind in inspect.getmembers(found, inspect.isclass)
        if issubclass(kind, Exception) and kind is not MessageError
    ]
    assert errors
    assert all(issubclass(kind, MessageError) for kind in errors)


def test_no_error_is_raised_with_a_sentence():
    own = {kind.__name__: kind for kind in subclasses(MessageError)}
    wrong = []
    for path in MODULES:
        for name, call in calls(path):
            kind = own.get(name)
            if kind is None or "__init__" in vars(kind):
                continue  # its parameters are typed
            if is_text(call.args[0] if call.args else None):
                wrong.append(f"{path.relative_to(PACKAGE)}:{call.lineno}")
    assert not wrong


def test_no_sentence_is_stored():
    wrong = []
    for path in MODULES:
        for name, call in calls(path):
            if name not in STORING:
                continue
            at, keyword = STORING[name]
            given = [word.value for word in call.keywords if word.arg == keyword]
            given += call.args[at : at + 1]
            if any(map(is_text, given)):
                wrong.append(f"{path.relative_to(PACKAGE)}:{call.lineno}")
    assert not wrong


def test_stored_messages_are_in_columns_of_their_own():
    found = {
        (model._meta.app_label, model._meta.model_name, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, MessageField)
    }
    assert found >= STORED


def test_only_migrations_keep_sentences():
    assert not [
        path.relative_to(PACKAGE)
        for path in MODULES
        for name, _ in calls(path)
        if name == "StoredText"
    ]


def test_every_message_is_used():
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute | ast.Name)
    }
    by_code = {kind.__name__ for kind in archives.TEXTS}  # an inspector reports them by code
    internal = {"StoredText", "UnknownMessage", "Inner"}
    assert not {kind.__name__ for kind in CLASSES} - used - by_code - internal


def test_refused_archives_have_the_same_texts_for_all_programs():
    here = {kind.code: kind for kind in archives.TEXTS}
    # The referee alone reports these.
    assert here.keys() == REFUSALS.keys() - {"archive-name", "reported"}
    for code, kind in here.items():
        values = {
            name: 1234 if hint is int else f"<{name}>"
            for name, hint in parameter_types(kind).items()
        }
        text = REFUSALS[code].format(**values).replace("1234", "1,234")
        assert english(kind(**values)) == text
