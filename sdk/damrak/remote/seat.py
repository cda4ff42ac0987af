"""One match of one bot in its own process: the program run in a sandbox.

    DAMRAK_ADDRESS=unix:/run/referee.sock python -m damrak.remote.seat BOT [--class NAME]

BOT is a folder with a bot.py, or a file. The exit code is 0 after the end of the match, 1 after
reporting that the bot failed, and 2 if nothing could be played: no address, no such bot, no
referee. The output is the bot's, except for one line in the last case.

Every game pays the cost of starting this program, so it does little before the bot runs.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, NoReturn

from damrak.hosting.limits import forbid_core_dumps

if TYPE_CHECKING:
    from damrak.specs import BotSpec

end_process: Final = os._exit  # saved, because a bot might replace it
ADDRESS: Final = "DAMRAK_ADDRESS"
USAGE: Final = "usage: DAMRAK_ADDRESS=ADDRESS python -m damrak.remote.seat BOT [--class NAME]"
SOFTWARE: Final = "damrak-python (sandbox)"
ENDED: Final = 0
FAILED: Final = 1
NOT_PLAYED: Final = 2


def main(arguments: list[str]) -> NoReturn:
    """Play the match and end the process, skipping all exit handlers of the bot."""
    status = NOT_PLAYED
    try:
        status = _play(*_read(arguments))
    except _Misuse as problem:
        _say(f"damrak: {problem}")
    except BaseException:  # noqa: BLE001 - not from a bot: a bug of ours
        with contextlib.suppress(BaseException):
            sys.excepthook(*sys.exc_info())
    finally:
        _flush()
        end_process(status)


class _Misuse(Exception):
    """There is nothing to play; the message gives the reason."""


def _read(arguments: list[str]) -> tuple[str, str, str | None]:
    """Return address, bot and class; without argparse, which is slower to load."""
    match arguments:
        case [bot]:
            name = None
        case [bot, "--class", name] | ["--class", name, bot]:
            pass
        case _:
            raise _Misuse(USAGE)
    address = os.environ.get(ADDRESS)
    if not address:
        raise _Misuse(f"{ADDRESS} is not set; {USAGE}")
    return address, bot, name


def _play(address_text: str, bot: str, class_name: str | None) -> int:
    _settle()
    gc.disable()  # everything loaded now stays in use
    from damrak.errors import DamrakError
    from damrak.remote.address import parse_address
    from damrak.remote.channels import Security
    from damrak.remote.connection import Line
    from damrak.remote.local_bot import LoneBot
    from damrak.remote.session import Session

    try:
        address = parse_address(address_text)
        spec = _spec(bot, class_name)
        line = Line(address, Security(is_encrypted=False), SOFTWARE)
    except DamrakError as problem:
        raise _Misuse(str(problem)) from None
    gc.freeze()
    gc.enable()
    record = Session(line, spec, LoneBot).play()
    for fault in (record.fault, record.late_fault):
        if fault is not None:
            _say(fault.traceback or f"{fault.reason}: {fault.detail}")
    if record.is_own:
        return FAILED
    if record.lost is not None:
        raise _Misuse(str(record.lost))
    return ENDED


def _spec(bot: str, class_name: str | None) -> BotSpec:
    """Return the bot at this path. Its version is left empty, because the sender knows it."""
    from damrak.specs import ENTRY, BotSpec, parse_spec

    path = os.path.join(bot, ENTRY) if os.path.isdir(bot) else bot
    if not os.path.isfile(path):
        return parse_spec(bot)  # which raises an exception with the reason
    from pathlib import Path

    file = Path(path).resolve()
    name = file.parent.name if file.name == ENTRY else file.stem
    return BotSpec(bot, name, "", file, class_name)


def _settle() -> None:
    """Set up the process for useful output: complete lines, and a traceback of every crash."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    # Line-buffered, so that output is not lost if the process crashes.
    sys.stdout = open(1, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    faulthandler.enable(2)
    if sys.platform != "win32":
        faulthandler.register(signal.SIGUSR1, 2)
        forbid_core_dumps()


def _say(text: str) -> None:
    with contextlib.suppress(BaseException):  # the bot may have replaced it
        sys.stderr.write(text.rstrip("\n") + "\n")


def _flush() -> None:
    for name in ("stdout", "stderr"):
        with contextlib.suppress(BaseException):
            getattr(sys, name).flush()


if __name__ == "__main__":
    main(sys.argv[1:])
