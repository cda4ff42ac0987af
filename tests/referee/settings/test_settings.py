"""Settings come from options, variables and a file, and errors name the setting."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from damrak_referee.command.command_line import build_parser
from damrak_referee.settings.settings import Settings, read_settings
from damrak_referee.settings.table import TABLE
from damrak_referee.usage_errors import SettingError


def test_table_and_settings_name_the_same_things() -> None:
    assert {setting.name for setting in TABLE} | {"sources"} == {
        field.name for field in dataclasses.fields(Settings)
    }


def test_option_comes_before_variable_before_file_before_default(tmp_path: Path) -> None:
    config = tmp_path / "referee.toml"
    config.write_text('capacity = 3\nname = "of-the-file"\nlog-format = "text"\nunsafe = true\n')
    settings = read_settings(
        {"config": str(config), "capacity": "5"}, {"DAMRAK_REFEREE_NAME": "of-the-variable"}
    )
    assert settings.capacity == 5
    assert settings.name == "of-the-variable"
    assert settings.log_format == "text"
    assert settings.unsafe
    assert settings.retention == 60.0


def test_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    config = tmp_path / "referee.toml"
    config.write_text("capacity = 3\n")
    assert read_settings({}, {"DAMRAK_REFEREE_CONFIG": str(config)}).capacity == 3


@pytest.mark.parametrize(
    ("options", "environment", "complaint"),
    [
        ({"capacity": "many"}, {}, "--capacity: 'many' is not a whole number from 1 on"),
        ({}, {"DAMRAK_REFEREE_CAPACITY": "0"}, "DAMRAK_REFEREE_CAPACITY: '0' is not"),
        ({}, {"DAMRAK_REFEREE_CAPASITY": "1"}, "DAMRAK_REFEREE_CAPASITY: there is no such"),
        ({"listen": "7171"}, {}, "--listen: '7171' is neither HOST:PORT nor unix:PATH"),
        ({"listen": "::1:7171"}, {}, "--listen: '::1:7171': write an IPv6 address in brackets"),
        ({"listen": "unix:/" + "x" * 120}, {}, "too long for a socket"),
        ({"control": "0.0.0.0:7172"}, {}, "--control: 0.0.0.0:7172 is open to anybody"),
        ({}, {"DAMRAK_REFEREE_CONTROL": "[::]:1"}, "DAMRAK_REFEREE_CONTROL: [::]:1 is open to"),
        ({"tls_cert": __file__}, {}, "--tls-key: a certificate and its key are given together"),
        ({"tls_client_ca": __file__}, {}, "--tls-client-ca: needs --tls-cert and --tls-key"),
        ({"tls_cert": "/no/such"}, {}, "--tls-cert: /no/such: no such file or directory"),
        ({"patience": "-1"}, {}, "--patience: '-1' is not a number of seconds"),
        ({"patience": "nan"}, {}, "--patience: 'nan' is not a number of seconds"),
        ({"name": "a/b"}, {}, "--name: 'a/b': a name has letters"),
        ({"unsafe": "perhaps"}, {}, "--unsafe: 'perhaps' is neither yes nor no"),
        ({"metrics": "unix:/m"}, {}, "--metrics: unix:/m is not HOST:PORT"),
        ({"advertise": "0.0.0.0:1"}, {}, "--advertise: nobody can be sent to 0.0.0.0:1"),
        ({"log_level": "loud"}, {}, "--log-level: 'loud' is none of debug, info"),
        ({"expose": "/no/such"}, {}, "--expose: /no/such: no such folder"),
    ],
)
def test_wrong_value_is_reported_with_its_source(
    options: dict[str, str], environment: dict[str, str], complaint: str
) -> None:
    with pytest.raises(SettingError) as problem:
        read_settings(options, environment)
    assert complaint in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("capacity = 0", "referee.toml: capacity: '0' is not a whole number"),
        ("capasity = 1", "referee.toml: capasity: there is no such setting"),
        ("capacity = [1]", "referee.toml: capacity: neither text nor a number"),
        ("capacity", "referee.toml: not TOML"),
    ],
)
def test_wrong_key_of_the_file_is_reported(tmp_path: Path, text: str, complaint: str) -> None:
    config = tmp_path / "referee.toml"
    config.write_text(text)
    with pytest.raises(SettingError) as problem:
        read_settings({"config": str(config)}, {})
    assert complaint in str(problem.value)


def test_control_is_a_private_socket_by_default(tmp_path: Path) -> None:
    settings = read_settings({"run": str(tmp_path), "name": "one"}, {})
    assert settings.control.path == tmp_path / "one.sock"


def test_control_over_the_network_is_fine_with_a_key() -> None:
    settings = read_settings({"control": "0.0.0.0:7172", "control_key_file": __file__}, {})
    assert settings.control.port == 7172


def test_help_explains_every_setting_with_variable_and_default() -> None:
    shown = " ".join(build_parser().format_help().split())
    for setting in TABLE:
        default = setting.told or setting.default
        assert f"{setting.text} ({setting.variable}; default: {default})" in shown


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--capacity", "x"], "damrak-referee: --capacity: 'x' is not a whole number from 1 on\n"),
        (["--capasity", "1"], "unrecognized arguments"),
        (["token", "new", "stan"], "--tokens: which file?"),
        (["token", "new", "a b", "--tokens", "/tmp/x"], "'a b': a name has letters"),
    ],
)
def test_misuse_is_one_line_and_code_2(arguments: list[str], said: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_REFEREE_")}
    done = subprocess.run(
        [sys.executable, "-m", "damrak_referee", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
