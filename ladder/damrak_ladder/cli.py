"""The entry point of `damrak-ladder`, which can be interrupted from the start."""

from __future__ import annotations

import os


def main() -> int:
    """Run the command line; return the exit code."""
    # Many processes share the machine. Threads of numpy would occupy the other cores while waiting.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:  # loading everything takes a moment, during which Ctrl-C must work
        import signal

        is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_ours:  # an exception during an import can be lost, or converted
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            from damrak_ladder import command_line
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        return command_line.main()
    except KeyboardInterrupt:
        return 130
