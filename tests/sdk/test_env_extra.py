"""The environments cost nothing until they are used, and say what they need."""

import subprocess
import sys

import pytest

import damrak.env

NEEDED_BY = {
    "numpy": ("DamrakAEC", "DamrakEnv", "Encoder", "aec_env", "encoder_for", "register"),
    "gymnasium": ("DamrakAEC", "DamrakEnv", "aec_env", "register"),
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


def test_importing_brings_none_of_the_extra() -> None:
    program = "import sys, damrak, damrak.env; print(*sys.modules)"
    assert {"numpy", "gymnasium", "pettingzoo"}.isdisjoint(run(program).split())


@pytest.mark.parametrize("package", NEEDED_BY)
def test_what_is_missing_is_named_with_its_remedy(package: str) -> None:
    name = NEEDED_BY[package][0]
    problem = f"damrak.env.{name} needs {package}: pip install 'damrak[env]'"
    assert run(LACK, package, name) == problem


def test_the_layout_needs_nothing() -> None:
    assert run(LACK, "numpy", "observation_layout") == ""


@pytest.mark.parametrize("name", damrak.env.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(damrak.env, name) is not None
    assert name in dir(damrak.env)


def test_public_names_are_sorted() -> None:
    names = damrak.env.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        damrak.env.nonsense  # noqa: B018
