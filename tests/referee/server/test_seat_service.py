"""Every kind of seat brings its bot to the table, and reports the reason of a failure."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from threading import Thread

import grpc
import pytest

from damrak_engine.clock import TimeControl
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.orders import Archive, House, Open
from damrak_wire.reports import BlockEnded, MatchReport, MatchVoided
from referee_process import PATIENCE, RefereeProcess, block, ending, short_folder
from sitter import Sitter

pytestmark = pytest.mark.process

STEADY = """
from damrak import Bot
class Steady(Bot):
    def choose(self, view):
        print("thinking")
        return view.legal[0]
"""
BROKEN = STEADY.replace("return view.legal[0]", "raise ValueError('my own mistake')")
HUNGRY = STEADY.replace('print("thinking")', "self.x = bytearray(10**10)")
LEAVING = STEADY.replace('print("thinking")', "import os; os._exit(3)")
UNLOADABLE = "import nothing_of_that_name\n"


@pytest.fixture(scope="module")
def referee() -> Iterator[RefereeProcess]:
    with short_folder() as folder, RefereeProcess(folder) as found:
        if found.status().isolation == "none":
            pytest.skip("this machine cannot isolate uploaded bots")
        yield found


def _archive(code: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("bot.py", code)
    return file.getvalue()


def _upload(referee: RefereeProcess, data: bytes, piece: int = 100) -> Archive:
    sha256 = hashlib.sha256(data).hexdigest()
    pieces = [
        pb.UploadRequest(sha256="" if at else sha256, data=data[at : at + piece])
        for at in range(0, len(data), piece)
    ]
    assert referee.control.Upload(iter(pieces), timeout=PATIENCE).size == len(data)
    return Archive(sha256)


def _report(referee: RefereeProcess, name: str, *places: object) -> MatchReport:
    order = block(places, name=name)  # type: ignore[arg-type]
    news = referee.play(order)
    assert ending(news) == BlockEnded("finished"), news
    [report] = [item for item in news if isinstance(item, MatchReport)]
    return report


def test_uploaded_bots_play_in_sandboxes(referee: RefereeProcess) -> None:
    steady = _upload(referee, _archive(STEADY))
    report = _report(referee, "up", steady, steady)
    for seat in report.seats:
        assert seat.fault is None
        assert seat.output.startswith("thinking\n")
        assert seat.cpu_us > 0
        assert seat.ready_us > 0


@pytest.mark.parametrize(
    ("name", "code", "reason", "detail", "traceback"),
    [
        ("raises", BROKEN, "crash", "my own mistake", "my own mistake"),
        ("eats", HUNGRY, "memory", "", ""),
        ("leaves", LEAVING, "crash", "", ""),
        ("unloadable", UNLOADABLE, "crash", "nothing_of_that_name", "nothing_of_that_name"),
    ],
)
def test_failing_bot_gets_a_reason_and_its_opponent_wins(
    referee: RefereeProcess, name: str, code: str, reason: str, detail: str, traceback: str
) -> None:
    report = _report(referee, name, _upload(referee, _archive(code)), House("greedy"))
    failed, unharmed = report.seats
    assert unharmed.fault is None
    assert failed.fault is not None
    assert (failed.fault.reason, failed.fault.owner) == (reason, "bot")
    assert detail in failed.fault.detail
    assert traceback in failed.fault.traceback + failed.output
    replay = json.loads(report.replay)
    assert replay["result"]["reason"] == "forfeit"


def test_bad_archive_is_its_authors_fault(referee: RefereeProcess) -> None:
    report = _report(referee, "junk", _upload(referee, b"no archive at all"), House("greedy"))
    fault = report.seats[0].fault
    assert fault is not None
    assert (fault.reason, fault.owner) == ("crash", "bot")
    assert "archive" in fault.detail


def test_archive_damaged_on_our_disk_is_not_a_fault_of_its_bot(referee: RefereeProcess) -> None:
    data = _archive(STEADY + "# kept badly\n")
    place = _upload(referee, data)
    kept = referee.folder / "store" / "archives" / place.sha256
    kept.write_bytes(data[:-1])
    news = referee.play(block((place, House("greedy")), name="bad-disk"))
    assert ending(news).outcome == "void"
    [voided] = [item for item in news if isinstance(item, MatchVoided)]
    assert voided.owner == "host"
    assert not any(seat.fault for seat in voided.seats)
    # So that the ladder sends it again.
    with pytest.raises(grpc.RpcError, match="archives are missing"):
        referee.start(block((place, House("greedy")), name="bad-disk", attempt=2))
    assert _report(referee, "good-disk", _upload(referee, data), House("greedy"))


def test_missing_archives_are_named(referee: RefereeProcess) -> None:
    with pytest.raises(grpc.RpcError) as problem:
        referee.start(block((Archive("0" * 64), House("greedy")), name="missing"))
    assert problem.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert problem.value.details() == f"archives are missing: {'0' * 64}"


def test_upload_that_does_not_match_its_name_is_refused(referee: RefereeProcess) -> None:
    pieces = [pb.UploadRequest(sha256="0" * 64, data=b"x")]
    with pytest.raises(grpc.RpcError) as problem:
        referee.control.Upload(iter(pieces), timeout=PATIENCE)
    assert problem.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError) as problem:
        referee.control.Upload(iter([]), timeout=PATIENCE)
    assert problem.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    store = referee.folder / "store" / "archives"
    assert not [path for path in store.iterdir() if path.name.startswith(".")]


def test_open_seats_are_taken_with_tickets(referee: RefereeProcess) -> None:
    order = block((Open(), House("greedy"), Open()), name="open")
    tickets = referee.start(order).tickets
    assert [(ticket.match, ticket.seat) for ticket in tickets] == [("open.0", 0), ("open.0", 2)]
    assert {ticket.address for ticket in tickets} == {referee.listen}
    with grpc.insecure_channel(referee.listen) as channel:
        sitters = [Sitter(channel, ticket.ticket) for ticket in tickets]
        threads = [Thread(target=sitter.play) for sitter in sitters]
        for thread in threads:
            thread.start()
        news = list(referee.follow(order))
        for thread in threads:
            thread.join()
    report = next(item for item in news if isinstance(item, MatchReport))
    assert [seat.name for seat in report.seats] == ["sitter", "greedy", "sitter"]
    assert all(seat.fault is None for seat in report.seats)


def test_open_seat_without_a_bot_forfeits(referee: RefereeProcess) -> None:
    order = block((Open(), House("greedy")), name="nobody", start_limit_ms=2_000)
    news = referee.play(order)
    [report] = [item for item in news if isinstance(item, MatchReport)]
    fault = report.seats[0].fault
    assert fault is not None
    assert (fault.reason, fault.owner) == ("timeout", "network")


def test_ticket_is_invalid_after_the_match(referee: RefereeProcess) -> None:
    order = block((Open(), House("greedy")), name="late", start_limit_ms=2_000)
    [ticket] = referee.start(order).tickets
    list(referee.follow(order))
    with grpc.insecure_channel(referee.listen) as channel:
        with pytest.raises(grpc.RpcError) as problem:
            Sitter(channel, ticket.ticket).play()
        assert problem.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_house_bot_with_parameters(referee: RefereeProcess) -> None:
    control = TimeControl(decision_ms=20_000, bank_ms=20_000, increment_ms=0)
    order = block((House("mcts:iterations=2"), House("greedy")), name="mcts", control=control)
    assert ending(referee.play(order)) == BlockEnded("finished")
