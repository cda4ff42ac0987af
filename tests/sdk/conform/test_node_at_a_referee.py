"""The bot in Node.js at a real referee, against a house bot."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from certificates import Authority
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.lobby import BotToken, encode_tokens
from damrak_wire.orders import House, Open, Remote
from damrak_wire.reports import BlockNews, MatchReport, MatchStarted
from ports import free_port
from referee_process import RefereeProcess, block, ending, short_folder
from sdk.conform import node

pytestmark = [pytest.mark.process, pytest.mark.node]

TOKEN = "a token that nobody else has"
NODE, GREEDY = Remote("node"), House("greedy")


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as path:
        yield path


@contextmanager
def bot(address: str, *options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Yield the running bot."""
    process = subprocess.Popen(
        [node.NODE, node.installed() / "bot.js", "--to", address, *options],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def admit(referee: RefereeProcess) -> None:
    """Admit the bot to the lobby."""
    hashed = hashlib.sha256(TOKEN.encode()).hexdigest()
    referee.control.SetBotTokens(encode_tokens([BotToken("node", hashed)]))


def without_a_fault(news: Iterable[BlockNews], seat: int = 0) -> list[MatchReport]:
    """Return the reports of a block in which the bot has made no error."""
    news = list(news)
    assert ending(news).outcome == "finished"
    reports = [said for said in news if isinstance(said, MatchReport)]
    for report in reports:
        mine = report.seats[seat]
        assert mine.name == "Nodewerker"
        assert mine.fault is None
        assert mine.rejections == ()
    return reports


def test_it_is_called_from_the_lobby(folder: Path) -> None:
    with RefereeProcess(folder) as referee:
        admit(referee)
        with bot(referee.listen, "--games=3", DAMRAK_TOKEN=TOKEN):
            order = block((GREEDY, NODE, GREEDY), matches=5)  # more than it accepts at once
            assert len(without_a_fault(referee.play(order), seat=1)) == 5


def test_it_plays_one_seat_with_a_ticket(folder: Path) -> None:
    with RefereeProcess(folder) as referee:
        order = block((Open(), GREEDY))
        (ticket,) = referee.start(order).tickets
        with bot(ticket.address, DAMRAK_TICKET=ticket.ticket) as process:
            without_a_fault(referee.follow(order))
            assert process.stdout is not None
            assert "place " in process.stdout.read()  # and then it exits
            assert process.wait() == 0


def test_it_encrypts_and_shows_its_certificate_if_it_has_to(folder: Path) -> None:
    authority = Authority(folder, "authority")
    pair, mine = authority.issue("referee"), authority.issue("node")
    theirs = (
        f"--tls-cert={pair.cert}",
        f"--tls-key={pair.key}",
        f"--tls-client-ca={authority.cert}",
    )
    ours = (f"--tls-ca={authority.cert}", f"--tls-cert={mine.cert}", f"--tls-key={mine.key}")
    with RefereeProcess(folder, *theirs) as referee:
        admit(referee)
        with bot(referee.listen, *ours, DAMRAK_TOKEN=TOKEN):
            without_a_fault(referee.play(block((NODE, GREEDY))))


def test_restarted_it_continues_where_it_was(folder: Path) -> None:
    slow = House("mcts:ms=100")
    with RefereeProcess(folder) as referee:
        admit(referee)
        order = block((NODE, slow))
        with bot(referee.listen, DAMRAK_TOKEN=TOKEN) as first:
            referee.start(order)
            news = referee.follow(order)
            assert isinstance(next(news), MatchStarted)
            first.kill()
        with bot(referee.listen, DAMRAK_TOKEN=TOKEN):
            without_a_fault(news)


def test_it_outlives_its_referee(folder: Path) -> None:
    address = f"127.0.0.1:{free_port()}"  # not taken by other tests
    with RefereeProcess(folder, f"--listen={address}", name="first") as referee:
        admit(referee)
        with bot(address, DAMRAK_TOKEN=TOKEN) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "node waits at first\n"
            referee.process.kill()
            referee.process.wait()
            with RefereeProcess(folder, f"--listen={address}", name="second") as another:
                admit(another)
                without_a_fault(another.play(block((NODE, GREEDY))))


def test_it_stops_on_request(folder: Path) -> None:
    with RefereeProcess(folder) as referee:
        admit(referee)
        with bot(referee.listen, DAMRAK_TOKEN=TOKEN) as process:
            without_a_fault(referee.play(block((NODE, GREEDY))))
            process.terminate()
            assert process.wait(600) == 0
        # Until the referee has noticed.
        while referee.control.GetStatus(pb.GetStatusRequest()).waiting:
            assert referee.process.poll() is None
            time.sleep(0.02)


def test_it_reports_why_it_is_refused(folder: Path) -> None:
    with RefereeProcess(folder) as referee:
        admit(referee)
        done = subprocess.run(
            [node.NODE, node.installed() / "bot.js", "--to", referee.listen],
            env={**os.environ, "DAMRAK_TOKEN": "another"},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 1
        assert done.stderr == "bot.js: this token is not known here\n"
