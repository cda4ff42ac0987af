"""Entry point of the command `damrak-referee`, which handles Ctrl-C even during imports."""

from __future__ import annotations

import os


def main() -> int:
    """Run the command line; return the exit code."""
    try:  # the imports take a moment, during which the user may press Ctrl-C
        import signal

        is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_ours:  # an exception during an import can be lost or replaced by another one
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            from damrak_referee.command import command_line
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        return command_line.main()
    except KeyboardInterrupt:
        return 130
