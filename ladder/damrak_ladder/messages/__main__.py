"""The command `python -m damrak_ladder.messages update | compile | check`."""

from __future__ import annotations

import argparse
import sys

from damrak_ladder.messages.catalogues import LANGUAGES, PACKAGE, compile_all, read, update


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m damrak_ladder.messages",
        description="The texts of the site in other languages.",
    )
    parser.add_argument(
        "task",
        choices=["update", "compile", "check"],
        help="update: bring new texts into the catalogues; compile: make what the site reads; "
        "check: say what is missing",
    )
    task = parser.parse_args().task
    if task == "compile":
        for path in compile_all():
            sys.stdout.write(f"{path.relative_to(PACKAGE)}\n")
        return 0
    # Both need Django; compiling does not, so that wheels can be built without it.
    from damrak_ladder.messages.checks import problems
    from damrak_ladder.messages.extraction import extract

    template = extract(PACKAGE)
    if task == "update":
        for language in LANGUAGES:
            update(language, template)
        return 0
    found = [f"{code}: {line}" for code in LANGUAGES for line in problems(template, read(code))]
    sys.stdout.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
