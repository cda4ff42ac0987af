"""`damrak-referee runtimes …`: install, list and remove optional runtimes of uploaded bots."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from damrak_archive.manifest import RUNTIME
from damrak_referee.command.runtime_costs import (
    describe_runtimes,
    measure_runtimes,
    print_runtimes,
)
from damrak_referee.runner.optional import (
    PACKAGES,
    SETTINGS,
    OptionalSettings,
    check_settings,
    find_runtimes,
)
from damrak_referee.runner.runtime import DISTRIBUTIONS
from damrak_referee.runner.settings import MIB
from damrak_referee.settings.setting import PREFIX
from damrak_referee.settings.settings import default_runtimes
from damrak_referee.usage_errors import Misuse

GOOD: Final = 0
FAILED: Final = 1
_VARIABLE: Final = PREFIX + "RUNTIMES"


def run(arguments: Sequence[str], parser_class: Callable[..., argparse.ArgumentParser]) -> int:
    """Run a `runtimes` command; the exit code is 1 if pip or the first import fails.

    Raises:
        Misuse: the command cannot be carried out; the message names what is wrong.
    """
    args = _build_parser(parser_class).parse_args(arguments)
    args.folder = Path(args.runtimes or os.environ.get(_VARIABLE) or default_runtimes())
    code: int = args.run(args)
    return code


def _install(args: argparse.Namespace) -> int:
    name, folder = args.name, args.folder
    if not RUNTIME.fullmatch(name):
        raise Misuse(f"NAME: lower-case letters, digits and hyphens, not {name!r}")
    place = folder / name
    if place.exists():
        raise Misuse(f"{place} exists: remove it first: damrak-referee runtimes remove {name}")
    if importlib.util.find_spec("pip") is None:
        raise Misuse(f"pip is not installed for {sys.executable}: {sys.executable} -m ensurepip")
    settings = _settings(args)
    folder.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=folder))
    try:
        packages = new / PACKAGES
        packages.mkdir()
        code = _pip(args, packages, new)
        if code:
            sys.stderr.write(f"damrak-referee: pip failed with status {code}; nothing installed\n")
            return FAILED
        _make_readable(new)
        size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
        settings["mapped_mb"] = size // MIB + 1
        (new / SETTINGS).write_text(check_settings(settings).to_toml(), "utf-8")
        new.rename(place)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return _measure(args, settings)


def _measure(args: argparse.Namespace, settings: dict[str, Any]) -> int:
    """Measure a runtime that was just installed, and remove it if it cannot be imported."""
    name, folder = args.name, args.folder
    offered = measure_runtimes(folder)
    if name not in {one.name for one in offered.runtimes}:
        shutil.rmtree(folder / name)
        sys.stderr.write(
            f"damrak-referee: {', '.join(settings['imports'])} cannot be imported in a sandbox; "
            "nothing installed. Check --import, and give it more memory with --memory-mb\n"
        )
        return FAILED
    rows = [one for one in describe_runtimes(folder, offered) if one["name"] == name]
    print_runtimes(folder, rows, as_json=args.json)
    if not args.json:
        sys.stdout.write("Restart the referee to offer it.\n")
    return GOOD


def _list(args: argparse.Namespace) -> int:
    found, problems = find_runtimes(args.folder)
    offered = measure_runtimes(args.folder) if found else None
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    rows = describe_runtimes(args.folder, offered)
    if not rows and not args.json:
        sys.stdout.write(
            f"There are no optional runtimes in {args.folder}.\n"
            "To install one: damrak-referee runtimes install torch\n"
        )
        return GOOD
    print_runtimes(args.folder, rows, as_json=args.json)
    return GOOD


def _remove(args: argparse.Namespace) -> int:
    place = args.folder / args.name
    if not RUNTIME.fullmatch(args.name) or not place.is_dir():
        raise Misuse(f"there is no runtime {args.name} in {args.folder}")
    gone = Path(tempfile.mkdtemp(prefix=f".{args.name}-", dir=args.folder))
    place.rename(gone / args.name)  # at once, as a referee may read the folder
    shutil.rmtree(gone)
    if args.json:
        sys.stdout.write(json.dumps({"removed": args.name}) + "\n")
    else:
        sys.stdout.write(f"removed {args.name}; restart the referee\n")
    return GOOD


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    said = {
        "imports": args.imports or [args.name.replace("-", "_")],
        "memory_mb": args.memory_mb,
        "archive_mb": args.archive_mb,
        "unpacked_mb": args.unpacked_mb,
    }
    try:
        check_settings(said)
    except ValueError as problem:
        name, _, rest = str(problem).partition(":")
        option = "import" if name == "imports" else name.replace("_", "-")
        raise Misuse(f"--{option}:{rest}") from None
    return said


def _pip(args: argparse.Namespace, packages: Path, folder: Path) -> int:
    """Install the packages into a folder, in the versions that fit those of the default runtime."""
    fixed = folder / "constraints.txt"
    with fixed.open("w", encoding="utf-8") as file:
        for name in DISTRIBUTIONS:
            try:
                file.write(f"{name}=={importlib.metadata.version(name)}\n")
            except importlib.metadata.PackageNotFoundError:
                continue
    command = [sys.executable, "-m", "pip", "install", "--target", str(packages)]
    command += ["--constraint", str(fixed), "--disable-pip-version-check", "--no-input"]
    if args.index_url:
        command += ["--index-url", args.index_url]
    command += args.packages or [args.name]
    # The result is printed on standard output; the progress of pip is not part of it.
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode  # noqa: S603


def _make_readable(folder: Path) -> None:
    """Let bots of any user read the files."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def _build_parser(parser_class: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = parser_class(
        prog="damrak-referee runtimes",
        description="Manages optional runtimes: Python packages that a bot chooses by name in its\n"
        'damrak.toml, such as runtime = "torch", with limits of their own.',
        epilog="examples:\n"
        "  damrak-referee runtimes install torch --index-url https://download.pytorch.org/whl/cpu\n"
        "  damrak-referee runtimes install jax jax flax --memory-mb 3072\n"
        "  damrak-referee runtimes list\n\n"
        "The limits are in DIR/NAME/runtime.toml and can be changed there.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    shared.add_argument(
        "--runtimes",
        metavar="DIR",
        help=f"folder of the runtimes ({_VARIABLE}; default: ~/.local/share/damrak/runtimes)",
    )
    _add_install(commands, shared)
    listed = commands.add_parser(
        "list", parents=[shared], help="list the installed runtimes with their limits and costs"
    )
    listed.set_defaults(run=_list)
    remove = commands.add_parser("remove", parents=[shared], help="remove a runtime")
    remove.add_argument("name", metavar="NAME")
    remove.set_defaults(run=_remove)
    return parser


def _add_install(commands: Any, shared: argparse.ArgumentParser) -> None:
    install = commands.add_parser(
        "install",
        parents=[shared],
        help="install packages with pip, and measure their import in a sandbox",
    )
    install.add_argument("name", metavar="NAME", help="name of the runtime in damrak.toml")
    install.add_argument(
        "packages", metavar="PACKAGE", nargs="*", help="packages for pip (default: NAME)"
    )
    install.add_argument("--index-url", metavar="URL", help="package index (default: that of pip)")
    install.add_argument(
        "--import",
        dest="imports",
        metavar="MODULE",
        action="append",
        help="module whose import is measured; may be repeated (default: NAME)",
    )
    standard = OptionalSettings(imports=())
    for option, text, value in (
        ("--memory-mb", "memory limit of a bot", standard.memory_mb),
        ("--archive-mb", "maximum size of an archive", standard.archive_mb),
        ("--unpacked-mb", "maximum size of its files", standard.unpacked_mb),
    ):
        install.add_argument(
            option, metavar="MB", type=int, default=value, help=f"{text} (default: {value})"
        )
    install.set_defaults(run=_install)
