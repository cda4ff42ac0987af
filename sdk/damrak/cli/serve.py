"""`damrak serve`: run a private referee for bots of friends in the same network."""

from __future__ import annotations

import argparse
import hashlib
import re
import secrets
import socket
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from damrak.atomic import write_atomically
from damrak.cli.arguments import board_named, options_from, positive, seconds
from damrak.cli.console import err, out
from damrak.cli.errors import INTERRUPTED, OK, Misuse
from damrak.cli.parser import Commands, add_command, add_json
from damrak.errors import HostError, RefereeError
from damrak.local import STANDARD_CONTROL
from damrak.remote.address import parse_address
from damrak.remote.credentials import kept_tokens, save_token
from damrak.specs import parse_spec
from damrak.standing import Block, Standing
from damrak_engine.clock import TimeControl
from damrak_engine.replay import Replay, to_bytes
from damrak_engine.rules import rules_for

if TYPE_CHECKING:
    from damrak.cli.serve_output import Serving
    from damrak.remote.private import PrivateReferee
    from damrak.remote.table_series import Guest, Tournament
    from damrak_wire.lobby import BotToken

GAMES: Final = 20
LARGEST: Final = 4  # number of seats at a table
LISTEN: Final = "0.0.0.0:7171"  # reachable from other machines, where friends' bots run
LOOK: Final = 0.3  # seconds between polls of the lobby
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
Played = tuple[Block, tuple[Replay, ...]]


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "serve",
        run,
        summary="run a private referee for friends",
        text="""
            Starts a referee on this machine, prints a command for each player that connects a bot
            to it, waits until all players are connected, and starts the games. In each block every
            player plays from every seat, and every game has a new seed. House bots can take part.
            If there are more players than seats at a table, all combinations play. Ctrl-C stops and
            shows the results so far. Connections are not encrypted unless you have a certificate,
            so use this command only on networks that you trust.""",
        examples=(
            "damrak serve anna bert",
            "damrak serve anna --with greedy --games 100 --save games",
            "damrak serve --guests 6 --seats 3 --board practice --tokens tokens.toml",
            "damrak serve anna bert --listen 0.0.0.0:7000 --tls-cert cert.pem --tls-key key.pem",
        ),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a player")
    parser.add_argument(
        "--guests",
        type=positive,
        default=0,
        metavar="N",
        help="number of additional players, named guest1, …",
    )
    parser.add_argument(
        "--with", dest="house", action="append", default=[], metavar="BOT", help="add a house bot"
    )
    games = parser.add_argument_group("games")
    games.add_argument(
        "--games",
        type=positive,
        default=GAMES,
        metavar="N",
        help=f"number of games, rounded up to whole blocks (default: {GAMES})",
    )
    games.add_argument(
        "--seats",
        type=int,
        choices=(2, 3, 4),
        help="players per table (default: all, or 2 if there are more than 4)",
    )
    games.add_argument(
        "--board", default="amsterdam", metavar="NAME|FILE", help="a built-in board or a board file"
    )
    games.add_argument(
        "--options",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="rule options (docs/rules.md, section 7)",
    )
    games.add_argument(
        "--save", metavar="DIR", type=Path, help="write a replay of each game to this folder"
    )
    for name, default, told in (
        ("bank", STANDARD_CONTROL.bank_ms, "thinking time for a whole game"),
        ("increment", STANDARD_CONTROL.increment_ms, "added after each decision"),
        ("decision", STANDARD_CONTROL.decision_ms, "the most for one decision"),
    ):
        told = f"{told} (default: {(default or 0) / 1000:g})"
        games.add_argument(f"--{name}", type=seconds, default=default, metavar="SEC", help=told)
    network = parser.add_argument_group("network")
    network.add_argument(
        "--listen",
        default=LISTEN,
        metavar="HOST:PORT",
        help=f"address to listen on (default: {LISTEN})",
    )
    network.add_argument(
        "--tokens",
        type=Path,
        metavar="FILE",
        help="read the tokens from this file, and save new ones there",
    )
    network.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain (PEM)")
    network.add_argument(
        "--tls-key", type=Path, metavar="FILE", help="private key of the certificate (PEM)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    names = _names(args)
    count = len(names) + len(args.house)
    seats = args.seats or (count if count <= LARGEST else 2)
    if count < seats:
        raise Misuse(
            f"{count} players are too few for a table of {seats}; add house bots: --with BOT"
        )
    if (args.tls_cert is None) != (args.tls_key is None):
        raise Misuse("--tls-cert and --tls-key must be given together")
    board = board_named(args.board)
    options = options_from(args.options)
    rules_for(board, seats, options)
    control = TimeControl(args.decision, args.bank, args.increment)
    if args.save is not None:
        args.save.mkdir(parents=True, exist_ok=True)
    tokens = _tokens(names, args.tokens)

    from damrak.cli.serve_output import (
        Serving,  # imported late: gRPC is not needed by other commands
    )
    from damrak.remote.private import PrivateReferee
    from damrak.remote.table_series import Guest, Table, Tournament
    from damrak_wire.orders import House, Remote

    guests = [Guest(name, Remote(name)) for name in names]
    for text in args.house:
        spec = parse_spec(text)
        if not spec.is_house:
            raise Misuse(f"--with {text}is not a house bot; connect it with `damrak connect`")
        guests.append(Guest(text, House(text), spec.version))
    standing = Standing([guest.name for guest in guests], seats)
    serving = Serving(err() if args.json else out(), standing, args.games, args.json)
    tls = () if args.tls_cert is None else ("--tls-cert", args.tls_cert, "--tls-key", args.tls_key)
    stopped: KeyboardInterrupt | HostError | RefereeError | None = None
    try:
        with PrivateReferee(args.listen, tuple(map(str, tls))) as referee, serving:
            referee.control.set_tokens(_hashed(tokens))
            serving.opened(_invitations(args, tokens, referee.address))
            table = Table(tuple(guests), seats, board, options, control)
            tournament = Tournament(referee.control, table)
            with closing(_play(tournament, referee, serving, args.games)) as blocks:
                for block, replays in blocks:
                    standing.add(block)
                    _save(args.save, block, replays)
                    serving.played(block)
    except (KeyboardInterrupt, HostError, RefereeError) as problem:
        if not standing.games and not isinstance(problem, KeyboardInterrupt):
            raise
        stopped = problem
    versions = [guest.version for guest in guests]
    serving.ended(board.id, versions, args.save, is_interrupted=stopped is not None)
    if stopped is not None and not isinstance(stopped, KeyboardInterrupt):
        raise stopped
    return INTERRUPTED if stopped else OK


def _play(
    tournament: Tournament, referee: PrivateReferee, serving: Serving, games: int
) -> Generator[Played]:
    """Yield blocks until this number of games is played; waits while a bot is missing."""
    a_block = tournament.table.seats
    while (left := -(-games // a_block) - tournament.blocks) > 0:
        parallel = _gather(referee, serving, tournament.table.guests)
        yield from tournament.play(min(parallel, left * a_block))


def _gather(referee: PrivateReferee, serving: Serving, guests: tuple[Guest, ...]) -> int:
    """Wait until all bots are present and idle, and return how many games they take at once."""
    from damrak_wire.orders import Remote

    expected = {guest.place.bot for guest in guests if isinstance(guest.place, Remote)}
    while True:
        free: dict[str, int] = dict.fromkeys(expected, 0)
        busy = dict.fromkeys(expected, 0)
        for waiting in referee.control.status().waiting:
            if waiting.bot in expected:
                free[waiting.bot] += waiting.free
                busy[waiting.bot] += waiting.playing
        missing = sorted(bot for bot in expected if not free[bot])
        serving.missing([bot for bot in missing if not busy[bot]])
        if not missing:
            return min(free.values(), default=len(guests))
        time.sleep(LOOK)


def _names(args: argparse.Namespace) -> list[str]:
    names = [*args.names, *(f"guest{number + 1}" for number in range(args.guests))]
    for name in names:
        if not NAME.fullmatch(name):
            raise Misuse(f"{name!r}: a name may have up to 40 letters, digits, - and _")
    if len(set(names)) != len(names):
        raise Misuse("the names of the players must differ")
    if not names:
        raise Misuse("give the names of the players, or --guests N (see: damrak serve --help)")
    if len(names) + len(args.house) < 2:
        raise Misuse("a game needs at least two players; add a name or a house bot: --with BOT")
    return names


def _tokens(names: list[str], file: Path | None) -> dict[str, str]:
    """Return a token for each name, reusing those in the file."""
    kept = {} if file is None else kept_tokens(file)
    tokens = {name: kept.get(name) or f"dmk_{secrets.token_urlsafe(24)}" for name in names}
    if file is not None:
        for name in names:
            if name not in kept:
                save_token(name, tokens[name], file)
    return tokens


def _hashed(tokens: dict[str, str]) -> list[BotToken]:
    from damrak_wire.lobby import BotToken

    return [
        BotToken(name, hashlib.sha256(token.encode()).hexdigest()) for name, token in tokens.items()
    ]


def _invitations(
    args: argparse.Namespace, tokens: dict[str, str], listening: str
) -> dict[str, str]:
    """Return, for each name, the command that connects a bot to this referee."""
    address = parse_address(listening)
    host = address.host
    if host in ("0.0.0.0", "::"):  # noqa: S104
        host = _own_address()
    there = f"[{host}]:{address.port}" if ":" in host else f"{host}:{address.port}"
    needs_no_word = args.tls_cert is not None or parse_address(there).is_loopback
    trust = "" if needs_no_word else " --insecure"
    return {
        name: f"DAMRAK_TOKEN={token} damrak connect BOT --to {there}{trust}"
        for name, token in tokens.items()
    }


def _own_address() -> str:
    """Return the address of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only determines the outgoing interface
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _save(folder: Path | None, block: Block, replays: tuple[Replay, ...]) -> None:
    if folder is not None:
        for game, replay in enumerate(replays):
            write_atomically(folder / f"{block.index:06}-{game}.json", to_bytes(replay))
