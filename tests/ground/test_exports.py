"""The names that bot authors may import from the package's root are exactly those of `__all__`."""

from importlib import import_module

import damrak


def test_exported_names_are_sorted() -> None:
    assert list(damrak.__all__) == sorted(damrak.__all__)


def test_every_exported_name_exists() -> None:
    assert [name for name in damrak.__all__ if not hasattr(damrak, name)] == []


def test_nothing_public_is_left_out() -> None:
    ours = {
        name
        for name, value in vars(damrak).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("damrak")
    }
    assert ours - set(damrak.__all__) == set()


def test_every_name_is_that_of_its_module() -> None:
    assert sorted(damrak._HOME) == damrak.__all__
    for name, module in damrak._HOME.items():
        assert getattr(damrak, name) is getattr(import_module(module), name)


def test_other_names_do_not_exist() -> None:
    assert not hasattr(damrak, "Boot")
