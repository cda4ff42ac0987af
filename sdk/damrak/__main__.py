"""`python -m damrak` is the command `damrak`."""

import sys

from damrak.cli import main

if __name__ == "__main__":
    sys.exit(main())
