"""The command `damrak-referee`, which can be interrupted from its first moment on."""

from __future__ import annotations

import os


def main() -> int:
    """Run the command line; what the process is to exit with."""
    try:  # loading it all takes a moment, in which somebody may have thought better of it
        import signal

        is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_ours:  # an exception can be lost, or become another one, in the midst of an import
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            from damrak_referee import command_line
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        return command_line.main()
    except KeyboardInterrupt:
        return 130
