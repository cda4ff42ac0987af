"""Replays as data sets: `pip install 'damrak[data]'`.

`matches` reads replays from files, folders and dumps of a site's open data, `decisions` turns them
into arrays with the layout of `damrak.env`, and `rows` reads the other tables of a dump. All read
one file at a time, so they need constant memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from damrak.data.dumps import SiteUnreachable
from damrak.data.files import DamagedFile

if TYPE_CHECKING:
    from damrak.data.decision_arrays import Decisions, decisions
    from damrak.data.export import write_parquet
    from damrak.data.recorded import Match, matches, rows

__all__ = [
    "DamagedFile",
    "Decisions",
    "Match",
    "SiteUnreachable",
    "decisions",
    "matches",
    "rows",
    "write_parquet",
]

_HOME: Final = {
    "Decisions": "decision_arrays",
    "Match": "recorded",
    "decisions": "decision_arrays",
    "matches": "recorded",
    "rows": "recorded",
    "write_parquet": "export",
}
_EXTRA: Final = ("numpy", "pyarrow")


class MissingExtra(ImportError):
    """A package needed only for data sets is missing; the message says how to install it."""


def __getattr__(name: str) -> Any:
    """Import a public name with its dependencies on first access."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        problem = f"damrak.data.{name} needs {package}: pip install 'damrak[data]'"
        raise MissingExtra(problem, name=package) from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
