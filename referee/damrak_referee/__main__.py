"""`python -m damrak_referee`: the same as the command `damrak-referee`."""

import sys

from damrak_referee.cli import main

if __name__ == "__main__":
    sys.exit(main())
