"""The systemd units match their documentation."""

from configparser import ConfigParser
from pathlib import Path
from typing import Final

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"


def test_only_the_worker_runs_as_root_and_in_a_folder_of_its_own() -> None:
    services = {path.stem: _service(path) for path in (DEPLOY / "systemd").glob("*.service")}
    users = {name: (unit["User"], unit["StateDirectory"]) for name, unit in services.items()}
    assert users.pop("damrak-worker") == ("root", "damrak-host")
    assert set(users) == {
        f"damrak-{part}" for part in ("analyst", "beat", "clerk", "relay", "site")
    }
    assert set(users.values()) == {("damrak", "damrak")}
    for unit in services.values():
        assert unit["Environment"] == f"DAMRAK_HOME=/var/lib/{unit['StateDirectory']}"


def _service(path: Path) -> dict[str, str]:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(path, encoding="utf-8")
    return dict(unit["Service"])
