"""`damrak connect`: play with a local bot at a remote referee."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic, sleep
from types import FrameType
from typing import Final

from damrak.cli.arguments import positive
from damrak.cli.console import err, out, remark
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import FAULTS, Commands, add_command
from damrak.errors import RefusalError
from damrak.hosting.driver import SeatPlan
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import STANDARD_LIMITS
from damrak.hosting.shared import discard_launcher, launcher
from damrak.local import STANDARD_CONTROL, package_version
from damrak.remote.address import Address, parse_address
from damrak.remote.credentials import find_token, login_file, save_token
from damrak.specs import BotSpec, parse_spec
from damrak_engine.boards import load_board
from damrak_engine.rules import rules_for

MOST_GAMES: Final = 1000  # a referee's limit for one bot
NEWS: Final = 30.0  # seconds until all referees of a ladder accept a new token
MOMENT: Final = 2.0  # seconds to wait for a thread to end


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "connect",
        run,
        summary="connect a bot to a remote referee",
        text="""
            Connects a bot to a referee and plays the games that it is assigned, each in its own
            process. The first Ctrl-C accepts no new games and finishes the running ones; the second
            one ends them. Lost connections are re-established automatically, even during a game.
            The operator of the referee gives you a token. Store it in a file that only you can read
            (--token-file), in the variable DAMRAK_TOKEN, or permanently in the login file
            (--save-token). With --ladder and --bot, the bot plays on a ladder: the command
            registers it there, as a new version if its files have changed, and gets the address of
            the referee from the ladder. This needs only the token of `damrak login`. Connections to
            other machines are encrypted unless --insecure is given.""",
        examples=(
            "damrak connect my_bot --to referee.example.org:7171 --token-file token.txt",
            "damrak connect --to referee.example.org:7171 --token-file token.txt --save-token",
            "damrak connect my_bot --to referee.example.org:7171 --games 4",
            "damrak connect my_bot --to 192.168.1.5:7171 --insecure",
            "damrak connect my_bot --ladder https://ladder.example.org --bot my-bot --games 2",
        ),
    )
    parser.add_argument("bot", nargs="?", metavar="BOT", help="a bot, as for `damrak play`")
    parser.add_argument("--to", metavar="ADDRESS", help="HOST:PORT of the referee")
    parser.add_argument("--ladder", metavar="URL", help="URL of a ladder, instead of --to")
    parser.add_argument("--bot", dest="name", metavar="NAME", help="name of the bot on the ladder")
    parser.add_argument(
        "--games",
        type=positive,
        default=1,
        metavar="N",
        help="number of parallel games (default: 1)",
    )
    parser.add_argument(
        "--save",
        metavar="DIR",
        type=Path,
        help=f"write repro bundles of faults to DIR/{FAULTS}",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per line instead of text"
    )
    tokens = parser.add_argument_group("token")
    tokens.add_argument(
        "--token-file", type=Path, metavar="FILE", help="file that contains the token"
    )
    tokens.add_argument("--token", help="the token; other users of this machine can see it")
    tokens.add_argument(
        "--save-token",
        action="store_true",
        help="save the token in the login file for this address",
    )
    trust = parser.add_argument_group("encryption")
    trust.add_argument("--tls-ca", type=Path, metavar="FILE", help="CA certificates to trust (PEM)")
    trust.add_argument("--tls-cert", type=Path, metavar="FILE", help="client certificate (PEM)")
    trust.add_argument(
        "--tls-key", type=Path, metavar="FILE", help="private key of the certificate (PEM)"
    )
    trust.add_argument("--insecure", action="store_true", help="do not encrypt the connection")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if (args.to is None) == (args.ladder is None):
        raise Misuse("give either --to or --ladder (see: damrak connect --help)")
    if args.insecure and (args.tls_ca or args.tls_cert):
        raise Misuse("--insecure cannot be combined with --tls-ca or --tls-cert")
    if (args.tls_cert is None) != (args.tls_key is None):
        raise Misuse("--tls-cert and --tls-key must be given together")
    if args.games > MOST_GAMES:
        raise Misuse(f"--games {args.games}: the maximum is {MOST_GAMES}")
    if args.token is not None:
        remark("--token is visible to other users of this machine; --token-file is safer")
    if args.ladder is not None:
        return _join(args)
    if args.name is not None:
        raise Misuse("--bot needs --ladder; at a referee, the token determines the name")
    address = parse_address(args.to)
    token = find_token(address.text, args.token, args.token_file)
    if args.save_token:
        save_token(address.text, token.text, login_file())
        remark(f"the token for {address.text} was saved in {login_file()}")
    if args.bot is None:
        if args.save_token:
            return OK
        raise Misuse("BOT is missing (see: damrak connect --help)")
    spec = parse_spec(args.bot)
    _try_out(spec)
    return _attend(args, address, token.text, spec)


def _join(args: argparse.Namespace) -> int:
    """Play on a ladder."""
    from damrak.ladder.login import find_site
    from damrak.ladder.registration import check_name, ensure_bot, name_like, take_place

    if args.bot is None:
        raise Misuse("BOT is missing (see: damrak connect --help)")
    if args.token is not None or args.token_file is not None or args.save_token:
        raise Misuse("--ladder needs no token: damrak login (see: damrak connect --help)")
    spec = parse_spec(args.bot)
    name = check_name(args.name or name_like(spec.name) or "")
    _try_out(spec)
    site = find_site(args.ladder, may_be_plain=args.insecure)
    if ensure_bot(site, name):
        remark(f"created the bot {name} on {site.address.text}")
    place = take_place(site, name, f"{spec.name}/{spec.version}")
    number = int(place.version["number"])
    page = site.page(f"/bots/{name}/{number}/")
    if place.version["state"] == "benched":
        raise Misuse(f"version {number} was benched; only a new version can play: {page}")
    remark(f"registered as version {number}: {page}")
    return _attend(args, parse_address(place.lobby), place.token, spec, NEWS)


def _try_out(spec: BotSpec) -> None:
    """Check that the bot starts before connecting."""
    rules = rules_for(load_board("practice"), 2)
    bot = HostedBot(launcher(), SeatPlan(spec, 0, STANDARD_CONTROL, 0), rules, STANDARD_LIMITS)
    try:
        fault = bot.start()
    finally:
        bot.close()
        discard_launcher()  # every game has its own
    if fault is not None:
        raise Misuse(f"bot {spec.text!r} does not start: {fault.detail} (see: damrak check)")


def _attend(
    args: argparse.Namespace, address: Address, token: str, spec: BotSpec, news: float = 0.0
) -> int:
    """Wait for games and play; a new token may need `news` seconds to be accepted."""
    from damrak.cli.connect_output import Attendance
    from damrak.cli.event_loop import Desk, Heard, Stop
    from damrak.remote.channels import security_for  # gRPC: not needed by other commands
    from damrak.remote.games import Games
    from damrak.remote.lobby import Lobby

    security = security_for(
        address,
        _pem("--tls-ca", args.tls_ca, "CERTIFICATE"),
        args.insecure,
        _pem("--tls-cert", args.tls_cert, "CERTIFICATE"),
        _pem("--tls-key", args.tls_key, "PRIVATE KEY"),
    )
    if not security.is_encrypted and not address.is_loopback:
        remark("--insecure: the token and the games are not encrypted on the network")
    software = f"damrak-python/{package_version()}"
    heard: SimpleQueue[Heard] = SimpleQueue()
    save = None if args.save is None else args.save / FAULTS
    games = Games(spec, software, STANDARD_LIMITS, heard.put, save)
    lobby = Lobby(address, security, token, software, args.games, lambda: games.playing, heard.put)

    def wait() -> None:
        until = monotonic() + news
        try:
            while True:
                try:
                    return lobby.run()
                except RefusalError:
                    if monotonic() > until:
                        raise
                    sleep(1.0)
        except BaseException as problem:  # noqa: BLE001 - raised in the main thread
            heard.put(problem)

    waiting = Thread(target=wait, name="lobby", daemon=True)
    console = err() if args.json else out()
    try:
        with (
            _stops(lambda: heard.put(Stop())),
            Attendance(console, address.text, spec.name, args.json) as attendance,
        ):
            waiting.start()
            desk = Desk(lobby, games, attendance, address, security, args.games)
            try:
                return desk.serve(heard)
            finally:
                attendance.stopped()
    finally:
        lobby.stop()
        games.stop()
        waiting.join(MOMENT)


@contextmanager
def _stops(stop: Callable[[], None]) -> Iterator[None]:
    """Call a function at SIGINT and SIGTERM."""

    def handle(number: int, frame: FrameType | None) -> None:
        stop()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pem(option: str, file: Path | None, what: str) -> bytes | None:
    if file is None:
        return None
    content = file.read_bytes()
    if b"-----BEGIN " not in content or f"{what}-----".encode() not in content:
        raise Misuse(f"{option} {file}: contains no {what.lower()} in PEM format")
    return content
