"""The modules that a bot imports, determined without running it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST_FILES: Final = 2_000
LARGEST: Final = 4 << 20
_CAUGHT: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class Import:
    """The first import of a top-level module that is neither the bot's own nor Python's."""

    module: str
    file: str
    line: int
    is_optional: bool
    """Whether the bot catches the error if the module is missing."""


def imports_of(entry: Path) -> list[Import]:
    """Return the imports of a file and of the modules beside it, one entry per module.

    Files that do not parse are skipped: the check of the bot's start reports them better.
    """
    folder = entry.parent
    waiting, seen = [entry], {entry}
    found: dict[str, Import] = {}
    while waiting and len(seen) < MOST_FILES:
        file = waiting.pop(0)
        for module, line, is_optional in _imports_in(file):
            own = list(_own_files(folder, module))
            if own:
                waiting += [one for one in own if one not in seen]
                seen.update(own)
            elif module not in sys.stdlib_module_names:
                one = Import(module, file.relative_to(folder).as_posix(), line, is_optional)
                if module not in found or found[module].is_optional > is_optional:
                    found[module] = one
    return sorted(found.values(), key=lambda one: one.module)


def _own_files(folder: Path, module: str) -> Iterator[Path]:
    """Yield the files beside the bot to which this module name may refer."""
    path = folder / f"{module}.py"
    if path.is_file():
        yield path
    elif (folder / module).is_dir():
        yield from sorted((folder / module).rglob("*.py"))


def _imports_in(file: Path) -> Iterator[tuple[str, int, bool]]:
    try:
        if file.stat().st_size > LARGEST:
            return
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from _imports_below(tree.body, is_optional=False)


def _imports_below(
    nodes: Iterable[ast.AST], *, is_optional: bool
) -> Iterator[tuple[str, int, bool]]:
    for node in nodes:
        match node:
            case ast.Import():
                for name in node.names:
                    yield name.name.partition(".")[0], node.lineno, is_optional
            case ast.ImportFrom(level=0):
                yield (node.module or "").partition(".")[0], node.lineno, is_optional
            case ast.Try():
                tries = is_optional or any(map(_catches, node.handlers))
                yield from _imports_below(node.body, is_optional=tries)
                rest = [*node.handlers, *node.orelse, *node.finalbody]
                yield from _imports_below(rest, is_optional=is_optional)
            case ast.If() if "TYPE_CHECKING" in ast.unparse(node.test):
                yield from _imports_below(node.orelse, is_optional=is_optional)
            case _:
                yield from _imports_below(ast.iter_child_nodes(node), is_optional=is_optional)


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in _CAUGHT for name in names)
