"""The environments are imported only when used, and name their requirements."""

import subprocess
import sys

import pytest

import damrak.env

NEEDED_BY = {
    "numpy": (
        "DamrakAEC",
        "DamrakEnv",
        "vector",
        "simulate",
        "Encoder",
        "aec_env",
        "encoder_for",
        "register",
    ),
    "gymnasium": ("DamrakAEC", "DamrakEnv", "vector", "aec_env", "register"),
    "pettingzoo": ("DamrakAEC", "aec_env"),
}
LACK = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
import damrak.env
try:
    getattr(damrak.env, sys.argv[2])
except ImportError as problem:
    print(problem)
"""


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.process
def test_importing_brings_none_of_the_extra() -> None:
    program = "import sys, damrak, damrak.env; print(*sys.modules)"
    assert {"numpy", "gymnasium", "pettingzoo"}.isdisjoint(run(program).split())


@pytest.mark.process
@pytest.mark.parametrize("package", NEEDED_BY)
def test_missing_requirement_is_named_with_its_remedy(package: str) -> None:
    name = NEEDED_BY[package][0]
    problem = f"damrak.env.{name} needs {package}: pip install 'damrak[env]'"
    assert run(LACK, package, name) == problem


@pytest.mark.process
def test_the_layout_needs_nothing() -> None:
    assert run(LACK, "numpy", "observation_layout") == ""


@pytest.mark.process
def test_a_library_that_is_not_part_of_the_extra_is_named() -> None:
    problem = "damrak.env.DamrakPuffer needs pufferlib: pip install pufferlib"
    assert run(LACK, "pufferlib", "DamrakPuffer") == problem


@pytest.mark.parametrize("name", sorted(set(damrak.env.__all__) - {"DamrakPuffer"}))
def test_every_public_name_exists(name: str) -> None:
    assert getattr(damrak.env, name) is not None
    assert name in dir(damrak.env)


def test_public_names_are_sorted() -> None:
    names = damrak.env.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))


def test_an_unknown_name_is_not_an_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        damrak.env.nonsense  # noqa: B018
