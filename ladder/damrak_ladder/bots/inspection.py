"""Inspection of an archive before it is stored, in a process of its own that may crash."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Final

from damrak_ladder.bots.errors import NotTaken
from damrak_wire.archive.inspection import Inspection
from damrak_wire.archive.limits import MIB, STANDARD

LARGEST: Final = STANDARD.archive_mb * MIB
"""The maximum size of an archive in bytes."""

_SECONDS: Final = 40
_COMMAND: Final = (sys.executable, "-P", "-m", "damrak_wire.archive.inspection")


def inspect_archive(data: bytes) -> Inspection:
    """Return the content of an archive, checked by the rules of the referees.

    Raises:
        NotTaken: it breaks one of them.
    """
    if len(data) > LARGEST:  # checked before it is written to a file
        raise NotTaken(f"the archive is larger than {STANDARD.archive_mb} MiB")
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            done = subprocess.run(  # noqa: S603 - the command is ours
                _COMMAND,
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
            said = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            raise NotTaken("the archive takes too much time or memory to be read") from None
    if "refused" in said:
        raise NotTaken(said["refused"])
    run = said.pop("run")
    return Inspection(run=None if run is None else tuple(run), **said)
