"""Inspection of an archive before it is stored, in a process of its own that may crash."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from damrak_archive.inspection import Inspection
from damrak_archive.limits import CEILING, MIB, STANDARD, RuntimeLimits
from damrak_ladder.bots.errors import NotTaken
from damrak_ladder.message_codes import bot_codes
from damrak_ladder.message_codes.message import message_of

LARGEST: Final = max(STANDARD.archive_mb, CEILING.archive_mb) * MIB
"""The maximum size of any archive in bytes; most archives have lower limits."""

_SECONDS: Final = 40
_COMMAND: Final = (sys.executable, "-P", "-m", "damrak_archive.inspection")


def inspect_archive(data: bytes, runtimes: Mapping[str, RuntimeLimits]) -> Inspection:
    """Return the content of an archive, checked by the rules of the referees.

    `runtimes` are the optional runtimes of the hosts, with their limits.

    Raises:
        NotTaken: it breaks one of them.
    """
    most = max(STANDARD.archive_mb, *(one.archive_mb for one in runtimes.values()), 0)
    if len(data) > most * MIB:  # checked before it is written to a file
        raise NotTaken(bot_codes.ArchiveTooLarge(most))
    limits = {name: asdict(one) for name, one in runtimes.items()}
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            done = subprocess.run(  # noqa: S603 - the command is ours
                [*_COMMAND, json.dumps(limits)],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
            said = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            raise NotTaken(bot_codes.ArchiveTakesTooLong()) from None
    if "refused" in said:
        raise NotTaken(message_of(said["refused"]))
    run = said.pop("run")
    return Inspection(run=None if run is None else tuple(run), **said)
