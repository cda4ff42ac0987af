"""The command `damrak`.

One module per command; each has `add_parser(commands)` and a function that runs the command and
returns the exit code. A user's mistake never ends in a traceback, but in a one-line message and
exit code 2.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without the cost of importing `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    try:  # imports take a moment, in which Ctrl-C may arrive
        import signal

        is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_ours:  # during an import, an exception can be lost or replaced by another
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            from damrak.cli import command

            parser = command.build_parser(given)
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
    except KeyboardInterrupt:
        return 130  # INTERRUPTED of damrak.cli.errors, which may not be imported
    return command.run(parser, given)
