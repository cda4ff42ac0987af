"""`damrak completion`: print a script for completion in the shell."""

from __future__ import annotations

import argparse
from typing import Final

import shtab

from damrak.cli.errors import OK
from damrak.cli.parser import Commands, add_command

PATHS: Final = (
    "BOARD",
    "BOT",
    "DIR",
    "FILE",
    "NAME|FILE",
)  # metavars of arguments that are paths


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "completion",
        run,
        summary="print a shell completion script",
        text="""
            Prints a script for your shell that completes commands, options and file names. Load it
            once to try it, or save it where your shell looks for completions.""",
        examples=(
            'eval "$(damrak completion bash)"',
            "damrak completion bash > ~/.local/share/bash-completion/completions/damrak",
            "damrak completion zsh > ~/.zfunc/_damrak",
            "damrak completion fish > ~/.config/fish/completions/damrak.fish",
        ),
    )
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help="your shell")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.cli.command import build_parser  # imported late: it imports this module

    parser = build_parser()
    _tell_what_is_a_path(parser)
    print(shtab.complete(parser, args.shell))
    return OK


def _tell_what_is_a_path(parser: argparse.ArgumentParser) -> None:
    """Mark the arguments of all commands that are paths, which the shell can complete."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _tell_what_is_a_path(command)
        elif action.metavar in PATHS:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab looks for it there
