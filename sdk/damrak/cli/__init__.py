"""The command `damrak`.

One module per command; each has `add_parser(commands)` and a function that runs it and returns
the exit code. Nothing a user does wrong ends in a traceback: it ends in one line and code 2.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes a moment to load
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; what the process is to exit with."""
    given = sys.argv[1:] if arguments is None else arguments
    try:  # loading it all takes a moment, in which somebody may have thought better of it
        import signal

        is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_ours:  # an exception can be lost, or become another one, in the midst of an import
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            from damrak.cli import command

            parser = command.build_parser(given)
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
    except KeyboardInterrupt:
        return 130  # INTERRUPTED of damrak.cli.errors, which may not be there
    return command.run(parser, given)
