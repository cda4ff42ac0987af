"""The wheel works in an environment with nothing but its declared requirements.

Requirements are taken from this environment instead of fetched, so that the test needs no network
and still detects an undeclared one.
"""

import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from damrak.cli.new import TEMPLATES

pytestmark = pytest.mark.process

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pure wheel from this tree, which may contain native modules."""
    return _build(tmp_path_factory.mktemp("wheel"), DAMRAK_COMPILE="0")


def _build(folder: Path, **environment: str) -> Path:
    """Return the wheel that a build with these variables writes to the folder."""
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    _run(*command, cwd=REPOSITORY, **environment)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs folder of an environment with only the wheel and its requirements."""
    return _environment(wheel, tmp_path_factory.mktemp("empty"))


def _environment(wheel: Path, home: Path, *extras: str) -> Path:
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    install = ("-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    _run(sys.executable, *install)
    packages = Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
    (installed,) = packages.glob("damrak-*.dist-info")
    for needed in _closure(PathDistribution(installed), extras):
        _lend(needed, packages)
    return programs


def test_wheel_is_pure(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    assert _names(wheel, ".so", ".pyd") == []


@pytest.mark.parametrize(
    "compiler",
    [
        "/nonexistent/cc",
        # A compiler that fails is noticed after the modules have been translated to C.
        pytest.param("/bin/false", marks=pytest.mark.soak),
    ],
)
def test_build_without_a_working_compiler_falls_back_to_a_pure_wheel(
    compiler: str, tmp_path: Path
) -> None:
    assert _build(tmp_path, CC=compiler).name.endswith("-py3-none-any.whl")


def test_required_native_code_that_cannot_be_built_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no C compiler"):
        _build(tmp_path, CC="/nonexistent/cc", DAMRAK_COMPILE="1")


@pytest.mark.soak
def test_default_build_is_native(tmp_path: Path) -> None:
    built = _build(tmp_path)
    assert "-none-any" not in built.name
    assert any(name.startswith("damrak_engine/state.") for name in _names(built, ".so", ".pyd"))
    programs = _environment(built, tmp_path / "empty")
    _run(programs / "python", REPOSITORY / ".ci" / "wheel-smoke.py", cwd=tmp_path)


def test_pure_wheel_reports_an_interpreted_engine(bin_folder: Path) -> None:
    assert _run(bin_folder / "damrak", "--version").endswith("(interpreted engine)")


def test_wheel_carries_types_and_boards(wheel: Path) -> None:
    needed = {
        "damrak/py.typed",
        "damrak_engine/py.typed",
        "damrak_engine/boards/amsterdam.json",
        "damrak_engine/boards/practice.json",
    }
    assert needed <= set(_names(wheel))


def test_wheel_carries_the_templates_of_bots(wheel: Path) -> None:
    there = {name for name in _names(wheel) if name.startswith("damrak/cli/templates/")}
    needed = {
        f"damrak/cli/templates/{template.shared.get(name, kind)}/{name}"
        for kind, template in TEMPLATES.items()
        for name in template.files
    }
    assert there == needed


def test_wheel_carries_only_our_packages(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in _names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "damrak",
        "damrak_archive",
        "damrak_engine",
        "damrak_ladder",
        "damrak_proto",
        "damrak_referee",
        "damrak_statistics",
        "damrak_wire",
    }


def test_installed_wheel_plays(bin_folder: Path, tmp_path: Path) -> None:
    damrak = bin_folder / "damrak"
    printed = _run(damrak, *["play", "greedy", "random", "--games", "2", "--json"], cwd=tmp_path)
    report = json.loads(printed)
    assert {"games", "blocks", "seconds", "bots"} <= report.keys()
    assert report["games"] == 2
    per_bot = {"name", "games", "wins", "shared", "score_mean"}
    per_bot |= {"elo", "elo_low", "elo_high", "faults"}
    assert [bot["name"] for bot in report["bots"]] == ["greedy", "random"]
    assert all(per_bot <= bot.keys() for bot in report["bots"])


@pytest.mark.parametrize(("extra", "command"), [("referee", []), ("ladder", ["simulate"])])
def test_program_without_its_extra_names_the_package(
    bin_folder: Path, extra: str, command: list[str]
) -> None:
    program = [str(bin_folder / f"damrak-{extra}"), *command]
    run = subprocess.run(program, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert f"pip install 'damrak[{extra}]'" in run.stderr


def test_installed_wheel_brings_no_django(bin_folder: Path, tmp_path: Path) -> None:
    find = "import damrak; from importlib.util import find_spec; print(find_spec('django'))"
    assert _run(bin_folder / "python", "-c", find, cwd=tmp_path).strip() == "None"


def test_installed_ladder_can_speak_to_its_broker(wheel: Path, tmp_path: Path) -> None:
    damrak_ladder = _environment(wheel, tmp_path, "ladder") / "damrak-ladder"
    transport = "from damrak_ladder.pipeline.celery.app import app; app.connection().transport"
    _run(damrak_ladder, "manage", "shell", "-c", transport, cwd=tmp_path)


def _run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """Return what a command prints, run without the settings of this process."""
    kept = {name: value for name, value in os.environ.items() if not _steers_python(name)}
    run = subprocess.run(command, cwd=cwd, env=kept | environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def _steers_python(variable: str) -> bool:
    return variable.startswith(("DAMRAK_", "PYTHON", "PYTEST_", "COV_"))


def _names(wheel: Path, *suffixes: str) -> list[str]:
    """Return the files in a wheel, or those with one of the suffixes."""
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if name.endswith(suffixes or "")]


def _closure(root: Distribution, extras: Iterable[str]) -> Iterable[Distribution]:
    """Return everything a distribution requires, directly or through another."""
    found: dict[tuple[str, frozenset[str]], Distribution] = {}
    waiting = [*_requirements(root, extras)]
    while waiting:
        needed = waiting.pop()
        key = (canonicalize_name(needed.name), frozenset(needed.extras))
        if key not in found:
            found[key] = distribution(needed.name)
            waiting.extend(_requirements(found[key], needed.extras))
    return {name: one for (name, _), one in found.items()}.values()


def _requirements(owner: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for line in owner.requires or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _lend(needed: Distribution, packages: Path) -> None:
    for top in {file.parts[0] for file in needed.files or []} - {"..", "__pycache__"}:
        found = Path(str(needed.locate_file(top)))
        (packages / top).symlink_to(found, target_is_directory=found.is_dir())
