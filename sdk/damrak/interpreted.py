"""Run the engine from its sources although compiled modules lie beside them.

A debugger, a coverage measurement and the comparison of both builds need the interpreted engine.
"""

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

ENGINE = "damrak_engine"


def force_interpreted_engine() -> None:
    """Make every later import of the engine in this process take its Python source.

    Raises:
        RuntimeError: the engine is imported already, so that it is too late.
    """
    if _source_finder in sys.path_hooks:
        return
    if ENGINE in sys.modules:
        raise RuntimeError(f"{ENGINE} is imported already: call this before anything imports it")
    sys.path_hooks.insert(0, _source_finder)
    sys.path_importer_cache.clear()


def _source_finder(path: str) -> FileFinder:
    """A path hook for the engine's folder that knows source files only."""
    if not path.rstrip("/\\").endswith(ENGINE):
        raise ImportError(f"{path} is not the engine's folder")
    return FileFinder(path, (SourceFileLoader, SOURCE_SUFFIXES))
