"""The settings of a referee.

A setting comes from the command line, else from the environment, else from the file that
`--config` names, else it has its default. Errors use the name under which the setting was given.
"""

from __future__ import annotations

import os
import socket
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from damrak_referee.addresses import Address, parse_address
from damrak_referee.settings.setting import PREFIX, parse_name
from damrak_referee.settings.table import TABLE
from damrak_referee.usage_errors import Misuse, SettingError


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, validated. Durations are in seconds."""

    listen: Address
    control: Address
    advertise: Address | None
    metrics: Address | None
    ready_file: Path | None
    name: str
    run: Path
    store: Path
    tls_cert: Path | None
    tls_key: Path | None
    tls_client_ca: Path | None
    control_client_ca: Path | None
    control_key_file: Path | None
    tokens: Path | None
    capacity: int
    start_limit: float
    patience: float
    first_patience: float
    retention: float
    drain_seconds: float
    temporary: bool
    join_seconds: float
    ping_seconds: float
    streams_per_peer: int
    joins_per_minute: int
    connections_per_peer: int
    anonymous_connections: int
    anonymous_kib_per_s: int
    anonymous_calls_per_s: int
    bot_kib_per_s: int
    cool_off_seconds: float
    upload_mb: int
    store_mb: int
    unsafe: bool
    expose: tuple[Path, ...]
    runtimes: Path
    sandbox_memory_mb: int
    sandbox_cpus: float
    sandbox_processes: int
    sandbox_tmp_mb: int
    log_format: str
    log_level: str
    sources: Mapping[str, str]
    """The source of each option: the option itself, a variable, or a key of the file."""

    def told(self, problem: Misuse) -> str:
        """Return the error message, with the setting by the name under which it was given."""
        return _as_given(str(problem), self.sources)


def default_run() -> Path:
    """Return the user's default folder for sockets and sandboxes."""
    private = os.environ.get("XDG_RUNTIME_DIR")
    if private:
        return Path(private) / "damrak"
    return Path(tempfile.gettempdir()) / f"damrak-{os.getuid()}"


def default_runtimes() -> Path:
    """Return the user's default folder for optional runtimes."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return Path(data) / "damrak" / "runtimes"


def read_settings(
    options: Mapping[str, str], environment: Mapping[str, str], *, is_terminal: bool = False
) -> Settings:
    """Read the settings from all sources; `options` are those of the command line, with `config`.

    Raises:
        SettingError: a setting is wrong; the message names the option, the variable, or the file
            and its key.
    """
    config = options.get("config") or environment.get(PREFIX + "CONFIG")
    table = _read_file(Path(config)) if config else {}
    known = {setting.variable for setting in TABLE} | {PREFIX + "CONFIG"}
    for variable in sorted(environment):
        if variable.startswith(PREFIX) and variable not in known:
            raise SettingError(f"{variable}: there is no such setting")
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for setting in TABLE:
        if setting.name in options:
            source, text = setting.option, options[setting.name]
        elif setting.variable in environment:
            source, text = setting.variable, environment[setting.variable]
        elif setting.name in table:
            source, text = f"{config}: {setting.name}", table[setting.name]
        elif setting.default is not None:
            source, text = setting.option, setting.default
        else:
            values[setting.name] = None
            continue
        sources[setting.option] = source
        try:
            values[setting.name] = setting.parse(text)
        except ValueError as problem:
            raise SettingError(f"{source}: {problem}") from None
    try:
        return _complete({**values, "sources": sources}, is_terminal=is_terminal)
    except SettingError as problem:
        raise SettingError(_as_given(str(problem), sources)) from None


def _as_given(text: str, sources: Mapping[str, str]) -> str:
    option, colon, rest = text.partition(":")
    return sources.get(option, option) + colon + rest


def _read_file(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as problem:
        raise SettingError(f"{path}: {(problem.strerror or 'cannot be read').lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingError(f"{path}: not TOML: {problem}") from None
    known = {setting.name for setting in TABLE}
    texts = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in known:
            raise SettingError(f"{path}: {key}: there is no such setting")
        if not isinstance(value, (str, int, float)):
            raise SettingError(f"{path}: {key}: neither text nor a number")
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


def _complete(values: dict[str, Any], *, is_terminal: bool) -> Settings:
    values["name"] = values["name"] or _name_of_host()
    values["run"] = values["run"] or default_run()
    values["store"] = values["store"] or values["run"] / "store"
    values["expose"] = values["expose"] or ()
    values["runtimes"] = values["runtimes"] or default_runtimes()
    values["log_format"] = values["log_format"] or ("text" if is_terminal else "json")
    if values["control"] is None:
        try:
            values["control"] = parse_address(f"unix:{values['run'] / values['name']}.sock")
        except ValueError as problem:
            raise SettingError(f"--control: {problem}") from None
    settings = Settings(**values)
    _check_together(settings)
    return settings


def _name_of_host() -> str:
    try:
        return parse_name(socket.gethostname())
    except ValueError:
        return "referee"


def _check_together(settings: Settings) -> None:
    if (settings.tls_cert is None) != (settings.tls_key is None):
        lacking = "tls-key" if settings.tls_key is None else "tls-cert"
        raise SettingError(f"--{lacking}: a certificate and its key are given together")
    for name in ("tls_client_ca", "control_client_ca"):
        if getattr(settings, name) is not None and settings.tls_cert is None:
            raise SettingError(f"--{name.replace('_', '-')}: needs --tls-cert and --tls-key")
    guarded = settings.control_key_file is not None or settings.control_client_ca is not None
    if settings.control.path is None and not guarded:
        raise SettingError(
            f"--control: {settings.control} is open to anybody: give --control-key-file or "
            "--control-client-ca, or listen on unix:PATH"
        )
    for name in ("advertise", "metrics"):
        address: Address | None = getattr(settings, name)
        if address is not None and address.path is not None:
            raise SettingError(f"--{name}: {address} is not HOST:PORT")
    if settings.advertise is not None and (
        settings.advertise.is_everywhere or not settings.advertise.port
    ):
        raise SettingError(f"--advertise: nobody can be sent to {settings.advertise}")
