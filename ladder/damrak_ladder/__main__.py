"""Entry point of `python -m damrak_ladder`, which is `damrak-ladder`."""

import sys

from damrak_ladder.cli import main

if __name__ == "__main__":
    sys.exit(main())
