"""The command `damrak-referee`: runs a referee, manages tokens, and checks the sandbox.

Wrong settings never end in a traceback, but in a message of one line and exit code 2.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from damrak_engine.build import version_line
from damrak_referee.command import tokens
from damrak_referee.settings.setting import PREFIX, Setting
from damrak_referee.settings.settings import Settings, read_settings
from damrak_referee.settings.table import TABLE
from damrak_referee.usage_errors import Misuse

OK: Final = 0
MISUSED: Final = 2
BROKEN_PIPE: Final = 141
FULL: Final = (errno.ENOSPC, errno.EDQUOT)

TEXT: Final = """\
Runs matches between house bots, uploaded bots in sandboxes, and remote bots that connect. A ladder
controls it through the control address. SIGTERM or Ctrl-C stops it when the running blocks have
finished; a second signal stops it immediately."""

EXAMPLES: Final = """\
examples:
  damrak-referee
  damrak-referee --listen 0.0.0.0:7171 --advertise bots.example.org:7171 \\
      --tls-cert chain.pem --tls-key key.pem --tokens tokens.json
  damrak-referee --config referee.toml --metrics 127.0.0.1:9171
  damrak-referee token new stan-3 --tokens tokens.json --expires 90

Each setting can also be an environment variable (DAMRAK_REFEREE_ and its name) or a key in the
file of --config. The command line overrides the environment, which overrides the file."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Misuse(f"{message} (see: {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: discard the output
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for good
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:  # --help, too, leaves by an exception
            sys.stdout.flush()
    except BrokenPipeError:
        _stop_printing()
        return BROKEN_PIPE
    except Misuse as problem:
        said = " ".join(str(problem).split())
    except OSError as problem:
        if problem.errno not in FULL:
            raise
        _stop_printing()
        said = str(problem.strerror).lower()
    except ModuleNotFoundError as problem:
        if (problem.name or "").startswith("damrak"):
            raise
        said = f"{problem.name} is not installed here: pip install 'damrak[referee]'"
    sys.stderr.write(f"damrak-referee: {said}\n")
    return MISUSED


def _stop_printing() -> None:
    """Discard the buffered output, which would fail again when Python flushes it at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(given: list[str]) -> int:
    if given[:1] == ["token"]:
        return tokens.run(given[1:], _Parser)
    if given[:1] == ["sandbox"]:
        from damrak_referee.command import sandbox

        return sandbox.run(given[1:], _Parser)
    if given[:1] == ["runtimes"]:
        from damrak_referee.command import runtimes

        return runtimes.run(given[1:], _Parser)
    settings = parse_settings(given)
    from damrak_referee.command.process import run_referee  # --help needs no gRPC

    return run_referee(settings)


def parse_settings(arguments: Sequence[str]) -> Settings:
    """Read the settings from a command line, the environment and the configuration file.

    Raises:
        Misuse: a setting is wrong; the message names it.
    """
    options = vars(build_parser().parse_args(arguments))
    return read_settings(options, os.environ, is_terminal=sys.stderr.isatty())


def build_parser() -> argparse.ArgumentParser:
    """Return a parser with all settings as options; its result omits options not given."""
    parser = _Parser(
        prog="damrak-referee",
        usage="damrak-referee [options]\n       damrak-referee token COMMAND …"
        "\n       damrak-referee sandbox COMMAND …\n       damrak-referee runtimes COMMAND …",
        description=TEXT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=version_line())
    parser.add_argument("--config", metavar="FILE", help=f"settings as TOML ({PREFIX}CONFIG)")
    groups: dict[str, Any] = {}
    for setting in TABLE:
        if setting.group not in groups:
            groups[setting.group] = parser.add_argument_group(setting.group)
        shown = _help_of(setting)
        if setting.is_flag:
            groups[setting.group].add_argument(
                setting.option, action="store_const", const="yes", help=shown
            )
        else:
            groups[setting.group].add_argument(setting.option, metavar=setting.metavar, help=shown)
    return parser


def _help_of(setting: Setting) -> str:
    default = setting.told or setting.default or ""
    return textwrap.dedent(f"{setting.text} ({setting.variable}; default: {default})")
