"""Entry point of `python -m damrak_referee`, which equals the command `damrak-referee`."""

import sys

from damrak_referee.cli import main

if __name__ == "__main__":
    sys.exit(main())
