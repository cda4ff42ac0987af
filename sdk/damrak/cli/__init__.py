"""The command `damrak`.

One module per command; each has `add_parser(commands)` and a function that runs it and returns
the exit code. Nothing a user does wrong ends in a traceback: it ends in one line and code 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from damrak.cli.errors import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; what the process is to exit with."""
    try:  # loading it all takes a moment, in which somebody may have thought better of it
        from damrak.cli import command
    except KeyboardInterrupt:
        return INTERRUPTED
    return command.main(arguments)
