"""`damrak check --like`: a bot under the limits that a ladder's site publishes."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli import damrak
from damrak.errors import LadderError
from damrak.preflight.imports import imports_of
from damrak.preflight.like import fetch_runtime, findings_like, preflight_like
from damrak.specs import parse_spec
from damrak_wire.runtime import BotRuntime, PythonPackage
from runtimes import LIMITS, RUNTIME, TORCH
from sdk.sites import Site, running_site

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")

OFFERED = replace(
    RUNTIME,
    python=platform.python_version(),
    limits=replace(LIMITS, memory_mb=300, open_files=40, start_ms=1500),
)
BOT = """
from damrak import Bot
{imports}

class Mine(Bot):
    {body}

    def choose(self, view):
        {choose}
        return view.legal[0]
"""


def bot(folder: Path, imports: str = "", body: str = "", choose: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(BOT.format(imports=imports, body=body, choose=choose))
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("home")) as made:
        made.say("""
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
for slug, ms in (("amsterdam", 10_000), ("blitz", 700)):
    plan = LadderPlan(slug=slug, name=slug, summary="", boards=("amsterdam",), shares={2: 1.0},
                      control={"decision_ms": ms, "bank_ms": 20_000})
    create_ladder(plan, now)
""")
        yield made


def offers(site: Site, *runtimes: BotRuntime) -> None:
    site.say(f"""
from damrak_ladder.matches.models import Host
Host.objects.all().delete()
for number, runtime in enumerate({[one.to_json() for one in runtimes]!r}):
    Host.objects.create(name=f"quay-{{number}}", first_seen=now, last_seen=now, runtime=runtime)
""")


def found(path: Path, url: str) -> dict[str, Any]:
    """Return the report of a `damrak check` process, with the findings by name."""
    run = damrak("check", path, "--like", url, "--json")
    report: dict[str, Any] = json.loads(run.stdout or run.stderr)
    assert run.returncode == (0 if report["ok"] else 1), run.stderr
    return report | {"by_name": {one["check"]: one for one in report["findings"]}}


@pytest.mark.process
def test_site_without_reports_is_an_error(site: Site, tmp_path: Path) -> None:
    offers(site)
    run = damrak("check", bot(tmp_path), "--like", site.url)
    assert run.returncode != 0
    assert "no host has reported its runtime yet" in run.stderr


@pytest.mark.process
@linux
def test_good_bot_passes_under_the_clock_of_the_named_ladder(site: Site, tmp_path: Path) -> None:
    offers(site, OFFERED)
    good = bot(tmp_path / "good", imports="import json, collections.abc")
    report = found(good, f"{site.url}/ladders/blitz/")
    assert report["ok"]
    assert report["like"]["ladder"] == "blitz"
    assert report["like"]["control"]["decision_ms"] == 700
    assert report["like"]["runtime"] == OFFERED.to_json()
    names = report["by_name"]
    for name in ("version of Python", "imports", "archive", "starts", "memory"):
        assert names[name]["level"] == "ok", names[name]
    assert "300 are allowed" in names["memory"]["detail"]
    said = damrak("check", good, "--like", site.url)
    assert said.stdout.startswith(f"as on {site.url}, ladder amsterdam: 300 MiB, 40 open files")


@pytest.mark.process
@linux
@pytest.mark.parametrize(
    ("twist", "fault"),
    [
        ({"body": "held = bytearray(400 << 20)"}, "memory:"),
        ({"body": "held = [open('/dev/null') for _ in range(60)]"}, "Too many open files"),
        ({"imports": "import time; time.sleep(20)"}, "not ready to play after 1.5 s"),
        ({"choose": "import time; time.sleep(3)"}, "timeout:"),
    ],
)
def test_bot_beyond_a_limit_fails(
    site: Site, tmp_path: Path, twist: dict[str, str], fault: str
) -> None:
    offers(site, OFFERED)
    offered = fetch_runtime(f"{site.url}/ladders/blitz")
    spec = parse_spec(str(bot(tmp_path, **twist)))
    failed = next(one for one in preflight_like(spec, offered).findings() if one.level == "fail")
    assert fault in failed.detail


@pytest.mark.process
@linux
def test_chosen_runtime_has_its_own_packages_and_limits(site: Site, tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine", imports="try:\n    import torch\nexcept ImportError: pass")
    (folder / "damrak.toml").write_text('runtime = "torch"')
    offers(site, OFFERED)
    report = found(folder, site.url)["by_name"]
    assert report["runtime"]["level"] == "ok"
    assert "import torch took 2400 ms and 420 MiB" in report["runtime"]["detail"]
    assert report["imports"]["level"] == "ok"
    assert "64 MiB and 2000 files are allowed" in report["archive"]["detail"]
    assert f"{TORCH.memory_mb} are allowed" in report["memory"]["detail"]


@pytest.mark.process
def test_runtime_that_the_ladder_does_not_have_is_a_failure(site: Site, tmp_path: Path) -> None:
    folder = bot(tmp_path / "mine")
    (folder / "damrak.toml").write_text('runtime = "jax"')
    offers(site, OFFERED)
    offered = fetch_runtime(site.url)
    spec = parse_spec(str(folder))
    (failed,) = [it for it in findings_like(spec, offered.for_bot(spec)) if it.level == "fail"]
    assert failed.check == "runtime"
    assert "which is not installed on the ladder" in failed.detail
    assert failed.cure == "choose one of torch"
    offers(site, replace(OFFERED, runtimes=()))
    offered = fetch_runtime(site.url)
    (failed,) = [it for it in findings_like(spec, offered.for_bot(spec)) if it.level == "fail"]
    assert failed.cure == "remove it: the ladder has no optional runtimes"


@pytest.mark.process
def test_module_of_an_optional_runtime_names_it(site: Site, tmp_path: Path) -> None:
    offers(site, OFFERED)
    spec = parse_spec(str(bot(tmp_path, imports="import torch")))
    (failed,) = [it for it in findings_like(spec, fetch_runtime(site.url)) if it.level == "fail"]
    assert 'or choose its runtime: runtime = "torch" in damrak.toml' in failed.cure


THREADS = """
import sys
sys.path.insert(0, {tests!r})
from damrak.specs import parse_spec
from damrak.preflight.like import LadderRuntime, preflight_like
from damrak_engine.clock import TimeControl
from runtimes import RUNTIME
offered = LadderRuntime("site", "ladder", TimeControl(), RUNTIME, (RUNTIME.python,))
for count in (20, 90):
    finding = next(preflight_like(parse_spec(f"{{count}}.py"), offered).findings())
    print(finding.level, finding.detail)
"""


@pytest.mark.process
@pytest.mark.root
@linux
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="only root can switch")
def test_bot_with_too_many_threads_fails_for_an_ordinary_user() -> None:
    tests = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        for count in (20, 90):
            body = (
                "held = [Thread(target=sleep, args=(9,), daemon=True).start() for _ in range(%d)]"
            )
            imports = "from threading import Thread\nfrom time import sleep"
            text = BOT.format(imports=imports, body=body % count, choose="")
            (folder / f"{count}.py").write_text(text)
        switch = ["unshare", "--mount", sys.executable, str(tests / "ordinary_user.py"), "23457"]
        code = THREADS.format(tests=str(tests))
        run = subprocess.run(
            [*switch, sys.executable, "-c", code],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    few, many = run.stdout.splitlines()
    assert few.startswith("ok"), run
    assert many.startswith("fail crash: RuntimeError: can't start new thread"), run


@pytest.mark.process
def test_missing_package_is_named_with_what_there_is(site: Site, tmp_path: Path) -> None:
    offers(site, replace(OFFERED, packages=(PythonPackage("numpy", "0.0.1", ("numpy",)),)))
    imports = "import numpy.linalg\nimport networkx as nx\n"
    imports += "try:\n    import torch\nexcept ImportError:\n    pass"
    (tmp_path / "helper.py").write_text("from attr import define\n")
    spec = parse_spec(str(bot(tmp_path, imports=imports + "\nimport helper")))
    by_name = {one.check: one for one in findings_like(spec, fetch_runtime(site.url))}
    assert by_name["imports networkx"].level == "fail"
    assert "bot.py, line 4" in by_name["imports networkx"].detail
    assert "numpy 0.0.1" in by_name["imports networkx"].cure
    assert by_name["imports torch"].level == "warn"
    assert "helper.py, line 1" in by_name["imports attr"].detail
    assert by_name["imports numpy"].level == "warn"
    assert "0.0.1 on the ladder" in by_name["imports numpy"].detail
    assert "imports" not in by_name


@pytest.mark.process
def test_another_python_is_a_warning(site: Site, tmp_path: Path) -> None:
    offers(site, OFFERED, replace(OFFERED, python="3.99.1"))
    spec = parse_spec(str(bot(tmp_path)))
    python = next(findings_like(spec, fetch_runtime(site.url)))
    assert python.level == "warn"
    assert "3.99.1" in python.detail
    assert "3.99" in python.cure


@pytest.mark.process
def test_ladder_that_does_not_exist_is_named(site: Site) -> None:
    offers(site, OFFERED)
    with pytest.raises(LadderError, match="nowhere"):
        fetch_runtime(f"{site.url}/ladders/nowhere/")


def test_imports_are_found_without_running_the_bot(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from . import deep\n")
    (tmp_path / "package" / "deep.py").write_text("import pandas.core\n")
    (tmp_path / "unused.py").write_text("import never\n")
    (tmp_path / "bot.py").write_text("""
from __future__ import annotations
from typing import TYPE_CHECKING
import os.path, package.deep
if TYPE_CHECKING:
    import mypy
try:
    import ujson
except (ValueError, ModuleNotFoundError):
    import simplejson
def later():
    import sklearn
raise SystemExit
""")
    said = [
        (one.module, one.file, one.line, one.is_optional) for one in imports_of(tmp_path / "bot.py")
    ]
    assert said == [
        ("pandas", "package/deep.py", 1, False),
        ("simplejson", "bot.py", 10, False),
        ("sklearn", "bot.py", 12, False),
        ("ujson", "bot.py", 8, True),
    ]
