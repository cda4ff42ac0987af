"""Entry point of `python -m damrak`, which is the same as the command `damrak`."""

import sys

from damrak.cli import main

if __name__ == "__main__":
    sys.exit(main())
