"""`damrak connect` with real referees."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import grpc
import pytest

from certificates import Authority
from cli import COMMAND
from damrak.local import GamePlan, play_game
from damrak.remote.address import parse_address
from damrak.remote.channels import Security, open_channel
from damrak.remote.table_series import private_replay
from damrak.remote.troubles import trouble_of
from damrak.repro import read_bundle, rerun
from damrak.specs import parse_spec
from damrak_engine.boards import load_board
from damrak_proto.v1.lobby_pb2_grpc import LobbyStub
from damrak_wire.lobby import Arrival, encode_request
from damrak_wire.orders import House, Remote
from damrak_wire.reports import BlockEnded, MatchReport, MatchStarted, MatchVoided
from ports import free_port
from sdk.hostile import BOTS
from sdk.referees import CONTROL, TOKENS, Referee, block, referee, seed_of, tokens_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

PATIENCE_S = 600  # a safety net; nothing here measures time


@pytest.fixture
def here() -> Iterator[Referee]:
    with referee() as made:
        yield made


class Connected:
    """A `damrak connect` process that prints JSON lines."""

    def __init__(
        self, bot: str, address: str, *options: str, token: str = TOKENS["anna"], cwd: Any = None
    ) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "connect", bot, "--to", address, "--json", *options],
            env={**os.environ, "DAMRAK_TOKEN": token, "XDG_CONFIG_HOME": "/nowhere"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            start_new_session=True,
        )
        self.told: list[dict[str, Any]] = []
        self.watchdog = Timer(PATIENCE_S, self.process.kill)
        self.watchdog.start()

    def until(self, event: str) -> dict[str, Any]:
        """Return the next line about such an event."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))
            if self.told[-1]["event"] == event:
                return self.told[-1]
        raise AssertionError(f"{self.told}\n{self.process.stderr and self.process.stderr.read()}")

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def leave(self) -> int:
        """Drain the process, and wait for its exit."""
        self.interrupt()
        self.until("stopped")
        return self.end()

    def end(self) -> int:
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


@pytest.fixture
def connect() -> Iterator[Any]:
    made: list[Connected] = []

    def start(*arguments: Any, **more: Any) -> Connected:
        made.append(Connected(*arguments, **more))
        return made[-1]

    yield start
    for connected in made:
        connected.watchdog.cancel()
        connected.process.kill()
        connected.process.communicate()


def played(here: Referee, order: Any) -> list[Any]:
    """Play a block and return all its events."""
    here.control.start(order)
    return list(here.control.follow(order.block, order.attempt))


def reports(news: list[Any]) -> list[MatchReport]:
    assert news[-1] == BlockEnded("finished", news[-1].detail), news
    found = [it for it in news if isinstance(it, MatchReport)]
    return sorted(found, key=lambda report: report.match)


def story(events: Any) -> list[Any]:
    return [replace(event, ms=0) if hasattr(event, "ms") else event for event in events]


def at_home(*bots: str, seed: bytes) -> Any:
    specs = tuple(parse_spec(str(BOTS / bot) if "." in bot else bot) for bot in bots)
    return play_game(GamePlan(load_board("practice"), specs, seed, control=CONTROL)).replay


@pytest.mark.process
def test_remote_bot_plays_the_game_that_it_plays_at_home(here: Referee, connect: Any) -> None:
    anna = connect(f"{BOTS}/honest.py:Honest", here.address)
    assert anna.until("waiting")["bot"] == "anna"
    order = block("b", (Remote("anna"), House("greedy")), (House("planner"), Remote("anna")))
    first, second = reports(played(here, order))
    home = at_home("honest.py:Honest", "greedy", seed=seed_of(0))
    assert story(private_replay(first.replay).events) == story(home.events)
    home = at_home("planner", "honest.py:Honest", seed=seed_of(1))
    assert story(private_replay(second.replay).events) == story(home.events)
    assert first.seats[0].name == "Honest Jan"
    for _ in range(2):
        over = anna.until("over")
        assert over["outcome"] == "result"
        assert over["seats"] == 2
    assert anna.leave() == 0


@pytest.mark.process
def test_several_games_at_once(here: Referee, connect: Any) -> None:
    anna = connect("greedy", here.address, "--games", "3")
    bert = connect("random", here.address, "--games", "3", token=TOKENS["bert"])
    for connected in (anna, bert):
        connected.until("waiting")
    tables = [(Remote("anna"), Remote("bert")), (Remote("bert"), Remote("anna"))] * 4
    assert len(reports(played(here, block("b", *tables)))) == 8
    for connected in (anna, bert):
        for _ in range(8):
            assert connected.until("over")["outcome"] == "result"
        assert connected.leave() == 0


@pytest.mark.process
def test_thinking_is_distinguished_from_waiting(here: Referee, connect: Any) -> None:
    anna = connect("planner", here.address)
    anna.until("waiting")
    (report,) = reports(played(here, block("b", (Remote("anna"), House("random")))))
    timings = report.timings
    own = [i for i, seat in enumerate(timings.seats) if seat == 0]
    assert own
    assert all(0 < timings.think_us[i] <= timings.total_us[i] for i in own)


# ---- exit ----------------------------------------------------------------------------------------


def gate_bot(folder: Path) -> None:
    """Write a bot that waits for a file `open` beside it."""
    (folder / "gate.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "from damrak import Bot\n"
        "class Gate(Bot):\n"
        "    def choose(self, view):\n"
        "        while not Path('open').exists():\n"
        "            time.sleep(0.01)\n"
        "        return view.legal[0]\n"
    )


@pytest.mark.process
def test_first_interrupt_finishes_and_declines(here: Referee, connect: Any, tmp_path: Path) -> None:
    gate_bot(tmp_path)
    anna = connect(str(tmp_path / "gate.py"), here.address, "--games", "2")
    anna.until("waiting")
    here.control.start(block("b", (Remote("anna"), House("random"))))
    following = here.control.follow("b", 1)
    assert isinstance(next(following), MatchStarted)
    anna.interrupt()
    assert anna.until("finishing")["playing"] == ["b-0"]
    (tmp_path / "open").touch()
    assert isinstance(list(following)[-1], BlockEnded)
    assert anna.until("over")["outcome"] == "result"
    assert anna.until("stopped")["games"] == 1
    assert anna.end() == 0


@pytest.mark.process
def test_second_interrupt_ends_everything(here: Referee, connect: Any) -> None:
    anna = connect(f"{BOTS}/hangs.py:InChoose", here.address)
    anna.until("waiting")
    here.control.start(block("b", (House("random"), Remote("anna"))))
    assert isinstance(next(here.control.follow("b", 1)), MatchStarted)
    anna.interrupt()
    anna.until("finishing")
    anna.interrupt()
    assert anna.end() == 130
    children = Path("/proc")
    assert not [it for it in children.glob("*/cmdline") if f"{anna.process.pid}" == parent_of(it)]
    here.control.cancel("b", 1, "enough")


def parent_of(cmdline: Path) -> str:
    with contextlib.suppress(OSError):
        return (cmdline.parent / "stat").read_text().rpartition(")")[2].split()[1]
    return ""


@pytest.mark.process
def test_crash_of_a_bot_is_reported_and_reproducible(
    here: Referee, connect: Any, tmp_path: Path
) -> None:
    anna = connect(f"{BOTS}/raises.py:InChoose", here.address, "--save", str(tmp_path))
    anna.until("waiting")
    (report,) = reports(played(here, block("b", (Remote("anna"), House("greedy")))))
    fault = report.seats[0].fault
    assert fault is not None
    assert (fault.reason, fault.owner) == ("crash", "bot")
    assert 'bots/raises.py"' in fault.traceback
    over = anna.until("over")
    assert (over["outcome"], over["reason"]) == ("fault", "crash")
    bundle = read_bundle(Path(over["bundle"]))
    assert "about to raise" in bundle.output
    assert rerun(bundle).repeats(bundle)
    # The next game is played normally.
    assert len(reports(played(here, block("c", (Remote("anna"), House("greedy")))))) == 1


@pytest.mark.process
def test_hanging_bot_is_ruled_out_and_its_place_is_free(here: Referee, connect: Any) -> None:
    quick = replace(CONTROL, decision_ms=5_000)  # sufficient for a bot that does not hang
    anna = connect(f"{BOTS}/hangs.py:InChoose", here.address)
    anna.until("waiting")
    for name in ("b", "c"):
        order = block(name, (Remote("anna"), House("greedy")), control=quick)
        (report,) = reports(played(here, order))
        assert report.seats[0].fault is not None
        assert report.seats[0].fault.reason == "timeout"
        assert anna.until("over")["reason"] == "timeout"
    assert anna.leave() == 0


@pytest.mark.process
def test_cancelled_block_cuts_the_bot_off(here: Referee, connect: Any) -> None:
    anna = connect(f"{BOTS}/hangs.py:InChoose", here.address)
    anna.until("waiting")
    here.control.start(block("b", (House("greedy"), Remote("anna"))))
    following = here.control.follow("b", 1)
    assert isinstance(next(following), MatchStarted)
    here.control.cancel("b", 1, "not needed any more")
    assert any(isinstance(news, MatchVoided) for news in following)
    assert anna.until("over")["outcome"] in ("void", "lost")
    assert anna.leave() == 0


# ---- lost connections ---------------------------------------------------------------------------


class Proxy:
    """A proxy whose connections can be cut."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._pairs: list[socket.socket] = []
        self.connections = 0
        self._threads = [Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                theirs, _ = self._listener.accept()
            except OSError:
                return
            try:
                ours = socket.create_connection(self._target)
            except OSError:
                theirs.close()
                continue
            self.connections += 1
            self._pairs += [theirs, ours]
            for source, sink in ((theirs, ours), (ours, theirs)):
                thread = Thread(target=self._pump, args=(source, sink), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()

    def cut(self) -> None:
        """Break every connection."""
        pairs, self._pairs = self._pairs, []
        for end in pairs:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept
        self._threads[0].join(PATIENCE_S)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(PATIENCE_S)


@pytest.mark.process
def test_cut_connections_change_nothing(here: Referee, connect: Any, tmp_path: Path) -> None:
    (tmp_path / "cutter.py").write_text(
        "from pathlib import Path\n"
        "from damrak import Bot\n"
        "class Cutter(Bot):\n"
        "    def start(self, match):\n"
        "        self.count = self.seen = 0\n"
        "    def saw(self, event):\n"
        "        self.seen += 1\n"
        "    def choose(self, view):\n"
        "        assert len(view.events) == self.seen\n"
        "        self.count += 1\n"
        "        if self.count % 5 == 0:\n"
        "            Path('cut').write_text(str(self.count))\n"
        "            while Path('cut').exists():\n"
        "                pass\n"
        "        return self.rng.choice(view.legal)\n"
    )
    proxy = Proxy(here.address)
    anna = connect(str(tmp_path / "cutter.py"), proxy.address)
    anna.until("waiting")
    here.control.start(block("b", (Remote("anna"), House("greedy"))))
    news: list[Any] = []
    follower = Thread(target=lambda: news.extend(here.control.follow("b", 1)))
    follower.start()
    cuts = 0
    flag = tmp_path / "cut"
    while follower.is_alive():
        if flag.exists():
            proxy.cut()
            cuts += 1
            flag.unlink()
        follower.join(0.01)
    proxy.close()
    assert cuts >= 2
    (report,) = reports(news)
    assert report.seats[0].fault is None, report.seats[0].fault
    assert private_replay(report.replay).events[-1].kind == "end"


@pytest.mark.process
def test_bot_that_is_started_again_goes_on_with_its_game(
    here: Referee, connect: Any, tmp_path: Path
) -> None:
    gate_bot(tmp_path)
    first = connect(str(tmp_path / "gate.py"), here.address)
    first.until("waiting")
    here.control.start(block("b", (Remote("anna"), House("random"))))
    following = here.control.follow("b", 1)
    assert isinstance(next(following), MatchStarted)
    first.process.kill()
    (tmp_path / "open").touch()
    second = connect(str(tmp_path / "gate.py"), here.address)
    assert second.until("called")["match"] == "b-0"
    (report,) = reports(list(following))
    assert report.seats[0].fault is None
    assert second.until("over")["outcome"] == "result"
    assert second.leave() == 0


@pytest.mark.process
def test_lobby_is_waited_for_until_it_is_there(connect: Any) -> None:
    address = f"127.0.0.1:{free_port()}"
    anna = connect("greedy", address)
    assert "nobody listens there" in anna.until("away")["trouble"]
    with referee(address) as late:
        anna.until("waiting")
        assert len(reports(played(late, block("b", (Remote("anna"), House("random")))))) == 1
        late.restart()
        anna.until("away")
        anna.until("waiting")
        assert len(reports(played(late, block("b", (Remote("anna"), House("random")))))) == 1
    assert anna.leave() == 0


@pytest.mark.process
def test_bots_leave_a_drained_referee_and_return(here: Referee, connect: Any) -> None:
    anna = connect("greedy", here.address)
    anna.until("waiting")
    here.control.drain()
    anna.until("closing")
    here.process.communicate(timeout=PATIENCE_S)
    anna.until("away")
    assert anna.leave() == 0


# ---- refusals -----------------------------------------------------------------------------------


def refused(connect: Any, address: str, *options: str, token: str = TOKENS["anna"]) -> str:
    """Return the one-line error of a `damrak connect` that is refused."""
    made = connect("greedy", address, *options, token=token)
    _, said = made.process.communicate(timeout=PATIENCE_S)
    assert made.process.returncode == 2
    assert said.count("damrak: ") == 1
    return str(said.splitlines()[-1])


@pytest.mark.process
def test_unknown_token(here: Referee, connect: Any) -> None:
    assert "does not know this token" in refused(connect, here.address, token="dmk_carl")


@pytest.mark.process
def test_expired_token(here: Referee, connect: Any) -> None:
    here.control.set_tokens(tokens_of(TOKENS, expires=1))
    assert "the token has expired; get a new one" in refused(connect, here.address)


@pytest.mark.process
def test_program_of_another_version(here: Referee) -> None:
    address = parse_address(here.address)
    arrival = encode_request(Arrival(lowest=2, highest=3, software="test", capacity=1))
    token = (("authorization", f"Bearer {TOKENS['anna']}"),)
    with (
        open_channel(address, Security(is_encrypted=False)) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        next(LobbyStub(channel).Wait(iter([arrival]), metadata=token))
    said = str(trouble_of(caught.value, address, key="token"))
    assert "versions 2 to 3 are not spoken here" in said
    assert "pip install --upgrade damrak" in said


@pytest.mark.process
def test_revoked_token_ends_the_waiting(here: Referee, connect: Any) -> None:
    anna = connect("greedy", here.address)
    anna.until("waiting")
    here.control.set_tokens(tokens_of({"bert": TOKENS["bert"]}))
    assert anna.end() == 2


@pytest.mark.process
@pytest.mark.parametrize(("left", "outcome"), [("another", "result"), (None, "fault")])
def test_game_goes_on_with_a_token_that_was_replaced_and_ends_with_one_that_was_revoked(
    here: Referee, connect: Any, tmp_path: Path, left: str | None, outcome: str
) -> None:
    gate_bot(tmp_path)
    anna = connect(str(tmp_path / "gate.py"), here.address)
    anna.until("waiting")
    here.control.start(block("b", (Remote("anna"), House("random"))))
    following = here.control.follow("b", 1)
    assert isinstance(next(following), MatchStarted)
    here.control.set_tokens(tokens_of({"anna": left} if left else {"bert": TOKENS["bert"]}))
    if left:
        assert anna.until("finishing")["playing"] == ["b-0"]
    (tmp_path / "open").touch()
    assert isinstance(list(following)[-1], BlockEnded)
    assert anna.until("over")["outcome"] == outcome
    assert anna.end() == 2


@pytest.mark.process
def test_encrypted_referee(connect: Any, tmp_path: Path) -> None:
    authority, stranger = Authority(tmp_path, "authority"), Authority(tmp_path, "stranger")
    own = authority.issue("referee")
    tls = ("--tls-cert", f"{own.cert}", "--tls-key", f"{own.key}")
    with referee("127.0.0.1:0", *tls) as here:
        address = here.address.replace("127.0.0.1", "localhost")
        assert "--tls-ca FILE" in refused(connect, address, "--tls-ca", f"{stranger.cert}")
        anna = connect("greedy", address, "--tls-ca", f"{authority.cert}")
        anna.until("waiting")
        assert len(reports(played(here, block("b", (Remote("anna"), House("random")))))) == 1
        assert anna.leave() == 0


@pytest.mark.process
def test_referee_that_requires_a_certificate(connect: Any, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    own, annas = authority.issue("referee"), authority.issue("anna")
    tls = ("--tls-cert", f"{own.cert}", "--tls-key", f"{own.key}")
    with referee("127.0.0.1:0", *tls, "--tls-client-ca", f"{authority.cert}") as here:
        address = here.address.replace("127.0.0.1", "localhost")
        trust = ("--tls-ca", f"{authority.cert}")
        without = connect("greedy", address, *trust)
        assert "show it with --tls-cert" in without.until("away")["trouble"]
        shown = ("--tls-cert", f"{annas.cert}", "--tls-key", f"{annas.key}")
        anna = connect("greedy", address, *trust, *shown)
        anna.until("waiting")
        assert len(reports(played(here, block("b", (Remote("anna"), House("random")))))) == 1
        assert anna.leave() == 0


@pytest.mark.process
def test_plain_referee_is_not_encrypted(here: Referee, connect: Any, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    assert "--insecure" in refused(connect, here.address, "--tls-ca", f"{authority.cert}")


@pytest.mark.process
def test_bot_that_cannot_begin_does_not_connect(connect: Any) -> None:
    made = connect(f"{BOTS}/raises.py:InStart", "127.0.0.1:1")
    _, said = made.process.communicate(timeout=PATIENCE_S)
    assert made.process.returncode == 2
    assert "does not start: ValueError: here: start (see: damrak check)" in said
