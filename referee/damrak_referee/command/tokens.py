"""`damrak-referee token …`: create, list and revoke the tokens of remote bots."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from damrak_referee.lobby.tokens import (
    TokensError,
    hash_token,
    is_good_at,
    new_token,
    read_tokens,
    write_tokens,
)
from damrak_referee.settings.setting import PREFIX, parse_name
from damrak_referee.usage_errors import Misuse
from damrak_wire.lobby import BotToken

DAY = 86400
VARIABLE = PREFIX + "TOKENS"


def run(arguments: Sequence[str], parser_class: Callable[..., argparse.ArgumentParser]) -> int:
    """Run a `token` command.

    Raises:
        Misuse: the command cannot be carried out; the message names what is wrong.
    """
    args = _build_parser(parser_class).parse_args(arguments)
    given = args.tokens or os.environ.get(VARIABLE)
    if not given:
        raise Misuse(f"--tokens: which file? (or the variable {VARIABLE})")
    try:
        said = args.run(Path(given).expanduser(), args)
    except TokensError as problem:
        raise Misuse(str(problem)) from None
    except OSError as problem:
        raise Misuse(f"{given}: {(problem.strerror or 'cannot be written').lower()}") from None
    sys.stdout.write(said)
    return 0


def _build_parser(parser_class: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = parser_class(
        prog="damrak-referee token",
        description="Tokens with which remote bots enter the lobby. The file contains only their\n"
        "hashes; a running referee reloads it when it changes.",
        epilog="examples:\n"
        "  damrak-referee token new stan-3 --tokens tokens.json --expires 90\n"
        "  damrak-referee token list --tokens tokens.json\n"
        "  damrak-referee token revoke stan-3 --tokens tokens.json     its games end, too",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--tokens", metavar="FILE", help=f"the file of tokens ({VARIABLE})")
    new = commands.add_parser("new", parents=[shared], help="create a token and print it once")
    new.add_argument("name", metavar="NAME", help="name of the bot; replaces its previous token")
    new.add_argument(
        "--expires",
        metavar="DAYS",
        type=float,
        help="days until the token expires (default: never)",
    )
    new.set_defaults(run=_new)
    every = commands.add_parser("list", parents=[shared], help="list the tokens")
    every.set_defaults(run=_list)
    revoke = commands.add_parser("revoke", parents=[shared], help="revoke the token of a bot")
    revoke.add_argument("name", metavar="NAME", help="name of the bot")
    revoke.set_defaults(run=_revoke)
    return parser


def _new(path: Path, args: argparse.Namespace) -> str:
    try:
        name = parse_name(args.name)
    except ValueError as problem:
        raise Misuse(str(problem)) from None
    if args.expires is not None and not 0 < args.expires <= 36500:
        raise Misuse(f"--expires: {args.expires:g} is not a number of days")
    token = new_token()
    expires = int(time.time() + args.expires * DAY) if args.expires else 0
    others = [entry for entry in read_tokens(path) if entry.bot != name]
    write_tokens(path, [*others, BotToken(name, hash_token(token), expires)])
    return f"{token}\n"


def _list(path: Path, args: argparse.Namespace) -> str:
    if not path.exists():
        raise Misuse(f"{path}: no such file")
    now = time.time()
    lines = []
    for entry in sorted(read_tokens(path), key=lambda entry: entry.bot):
        if not entry.expires:
            until = "never expires"
        else:
            date = datetime.datetime.fromtimestamp(entry.expires, datetime.UTC)
            word = "expires" if is_good_at(entry, now) else "expired"
            until = f"{word} {date:%Y-%m-%d %H:%M} UTC"
        lines.append(f"{entry.bot}  {entry.sha256[:12]}  {until}\n")
    return "".join(lines)


def _revoke(path: Path, args: argparse.Namespace) -> str:
    tokens = read_tokens(path)
    left = [entry for entry in tokens if entry.bot != args.name]
    if len(left) == len(tokens):
        raise Misuse(f"{path}: no token of {args.name!r}")
    write_tokens(path, left)
    return ""
