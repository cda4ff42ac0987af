"""`damrak new`: create a folder with a bot that already plays."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Final

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, add_command, add_json

COMMON: Final = ("bot.py", "test_bot.py", "README.md")
NODE: Final = (
    ".npmrc",
    "README.md",
    "backoff.js",
    "bot.js",
    "bot.test.js",
    "damrak.toml",
    "hello.js",
    "lobby.js",
    "map.js",
    "package-lock.json",
    "package.json",
    "packed.js",
    "player.js",
    "protos.js",
    "seat.js",
)


@dataclass(frozen=True, slots=True)
class Template:
    """A bot to start from. A file is in the folder of its name unless `shared` names another."""

    summary: str
    files: tuple[str, ...] = COMMON
    shared: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    """A command to run first."""
    is_python: bool = True


TEMPLATES: Final = {
    "basic": Template("claims the route worth most, in 10 lines"),
    "numpy": Template(
        "a small trained neural network, in numpy",
        (*COMMON, "policy.npz"),
        {"test_bot.py": "basic"},
    ),
    "onnx": Template(
        "the same network, run by onnxruntime, with the script that exports it",
        (*COMMON, "export.py", "policy.npz", "policy.onnx"),
        {"test_bot.py": "basic", "policy.npz": "numpy"},
        needs="pip install onnxruntime",
    ),
    "torch": Template(
        "the same network, run by PyTorch on one thread",
        (*COMMON, "damrak.toml", "policy.npz"),
        {"test_bot.py": "basic", "policy.npz": "numpy"},
        needs="pip install torch --index-url https://download.pytorch.org/whl/cpu",
    ),
    "mcts": Template("plays out games in possible worlds before each decision"),
    "node": Template("a bot in Node.js, without the SDK", NODE, needs="npm ci", is_python=False),
}


def add_parser(commands: Commands) -> None:
    """Add the command."""
    kinds = "\n".join(f"  {name:6} {template.summary}" for name, template in TEMPLATES.items())
    parser = add_command(
        commands,
        "new",
        run,
        summary="create a new bot",
        text="""
            Creates a folder with a working bot that beats `random`, a test for it, and a README
            with the next steps. Existing files are never overwritten.""",
        examples=(
            "damrak new my_bot",
            "damrak new my_bot --template numpy",
            "damrak play my_bot random",
            "damrak check my_bot",
        ),
    )
    parser.epilog = f"templates:\n{kinds}\n\n{parser.epilog}"
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to create")
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        default="basic",
        help="the bot to start from (default: basic)",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    folder: Path = args.folder
    template = TEMPLATES[args.template]
    create(args.template, folder)
    if args.json:
        said = {"folder": str(folder), "template": args.template, "files": list(template.files)}
        print(json.dumps(said))
        return OK
    console = out()
    console.print(Text(f"{folder} contains a working bot. Try:"))
    for line in _next_steps(template, folder):
        console.print(Text(f"  {line}", "bold"), soft_wrap=True)
    return OK


def create(kind: str, folder: Path) -> None:
    """Write the files of a template to a folder.

    Raises:
        Misuse: one of them exists; nothing was written.
    """
    template = TEMPLATES[kind]
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"{folder}: already exists and is not a folder")
    for name in template.files:
        if (folder / name).exists():
            raise Misuse(f"{folder / name}: already exists; it was not overwritten")
    folder.mkdir(parents=True, exist_ok=True)
    for name in template.files:
        _copy(kind, name, folder)


def _copy(kind: str, name: str, folder: Path) -> None:
    """Write one file of a template to a folder; a README begins with the folder's name."""
    source = files("damrak.cli") / "templates" / TEMPLATES[kind].shared.get(name, kind) / name
    content = source.read_bytes()
    if name == "README.md":
        content = content.replace(b"NAME", folder.resolve().name.encode())
    (folder / name).write_bytes(content)


def _next_steps(template: Template, folder: Path) -> Iterator[str]:
    name = shlex.quote(str(folder))
    if not template.is_python:
        yield f"cd {name} && {template.needs} && damrak proto proto"
        yield "damrak conform 127.0.0.1:0 -- node bot.js --quiet"
        return
    if template.needs:
        yield template.needs
    yield f"damrak play {name} random"
    yield f"damrak check {name}"
