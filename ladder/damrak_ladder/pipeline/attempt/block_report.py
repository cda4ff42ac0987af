"""The report of a referee about a block, received and checked against the order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from damrak_engine.effects import Owner
from damrak_engine.errors import ReplayError
from damrak_engine.replay import Header, Player
from damrak_ladder.matches.attempts import Trouble
from damrak_ladder.matches.logs import MatchSaid, SeatSaid, storable
from damrak_ladder.matches.models import Blame
from damrak_ladder.matches.record import MatchOutcome, Report
from damrak_ladder.matches.timings import Timings
from damrak_ladder.message_codes import block_codes as codes
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import Message
from damrak_ladder.pipeline.attempt.order import Ordered
from damrak_ladder.replays.storage import keep
from damrak_wire.boards import board_of
from damrak_wire.orders import MatchOrder
from damrak_wire.reports import (
    BlockEnded,
    BlockNews,
    MatchReport,
    MatchStarted,
    MatchVoided,
    SeatReport,
)

_OWNERS: dict[Owner, Blame] = {
    "bot": Blame.BOT,
    "host": Blame.HOST,
    "network": Blame.NETWORK,
}


class Untrue(MessageError):
    """The referee reports something that was not ordered, or that is wrong."""


@dataclass(slots=True)
class Hearing:
    """The report about one attempt so far. Replays are stored as soon as they arrive."""

    ordered: Ordered
    outcomes: dict[int, MatchOutcome] = field(default_factory=dict)
    said: dict[int, MatchSaid] = field(default_factory=dict)
    faults: list[Trouble] = field(default_factory=list)
    cause: Trouble | None = None  # why the block is void
    ended: BlockEnded | None = None

    def take(self, news: BlockNews) -> None:
        """Process a message; if it contains a replay, that is in the store afterwards.

        Raises:
            Untrue
        """
        match news:
            case MatchStarted():
                pass
            case MatchReport():
                self._take_report(news)
            case MatchVoided():
                self._take_void(news)
            case BlockEnded():
                self.ended = news

    @property
    def is_finished(self) -> bool:
        """Return whether every match has a result."""
        return self.ended is not None and self.ended.outcome == "finished"

    def report(self) -> Report:
        """Return the report to record.

        Raises:
            Untrue: the block is reported as finished, but some of its matches are not.
        """
        order = self.ordered.order
        if sorted(self.outcomes) != list(range(len(order.matches))):
            raise Untrue(codes.MatchesMissing(len(self.outcomes), len(order.matches)))
        return Report(
            block=int(order.block),
            attempt=order.attempt,
            matches=tuple(self.outcomes[number] for number in sorted(self.outcomes)),
            faults=tuple(self.faults),
        )

    def why_void(self) -> tuple[Message, list[Trouble]]:
        """Return why there is nothing to record, and all known faults."""
        detail = self.ended.detail if self.ended is not None else ""
        cause = self.cause or Trouble(Blame.HOST, "cancelled", detail)
        problem = storable(cause.detail or detail or cause.reason)
        return codes.ReportedVoid(problem), [cause, *self.faults]

    def _take_report(self, news: MatchReport) -> None:
        number = self._number(news.match, news.attempt)
        order = self.ordered.order.matches[number]
        if len(news.seats) != len(order.seats):
            raise Untrue(codes.SeatsDiffer(len(news.seats), len(order.seats)))
        try:
            outcome = keep(news.replay, lambda header: self._check(header, order))
        except ReplayError as problem:
            raise Untrue(codes.ReplayInvalid(news.match, str(problem))) from None
        if order.first is not None and outcome.seats[order.first].turn != 0:
            raise Untrue(codes.WrongFirstSeat(news.match))
        self.outcomes[number] = outcome
        timings = news.timings
        self.said[number] = MatchSaid(
            tuple(map(_said, news.seats)),
            Timings(timings.seats, timings.total_us, timings.think_us, timings.queue_us),
        )
        self.faults += _faults(number, news.seats)

    def _take_void(self, news: MatchVoided) -> None:
        number = self._number(news.match, news.attempt)
        seats = len(self.ordered.order.matches[number].seats)
        if len(news.seats) > seats:  # there may be fewer
            raise Untrue(codes.SeatsDiffer(len(news.seats), seats))
        if self.cause is None:  # the others are void because this one is
            self.cause = Trouble(_OWNERS[news.owner], "void", storable(news.detail), match=number)
        self.said[number] = MatchSaid(tuple(map(_said, news.seats)))
        self.faults += _faults(number, news.seats)

    def _number(self, match: str, attempt: int) -> int:
        number = self.ordered.numbers.get(match)
        if number is None or attempt != self.ordered.order.attempt:
            raise Untrue(codes.MatchNotOrdered(match, attempt))
        if number in self.said:
            raise Untrue(codes.MatchReportedTwice(match))
        return number

    def _check(self, header: Header, order: MatchOrder) -> None:
        """Check that a replay is of the match that was ordered."""
        block = self.ordered.order
        rules = block.rules(order)
        wanted = {
            "match": (header.match, order.match),
            "block": (header.block, block.block),
            "ladder": (header.ladder or "", block.ladder),
            "seed": (header.seed, order.seed),
            "options": (header.options, rules.options),
            "board": (header.board.source, board_of(block.board).source),
            "seats": (
                header.seats,
                tuple(Player(seat.bot, seat.version, seat.owner) for seat in order.seats),
            ),
        }
        for name, (found, ordered) in wanted.items():
            if found != ordered:
                raise Untrue(codes.ReplayDiffers(order.match, name))


def _said(seat: SeatReport) -> SeatSaid:
    return SeatSaid(
        name=seat.name,
        output=seat.output,
        rejections=seat.rejections,
        traceback=seat.fault.traceback if seat.fault is not None else "",
        cpu_us=seat.cpu_us,
        memory_bytes=seat.memory_bytes,
        ready_us=seat.ready_us,
    )


def _faults(number: int, seats: tuple[SeatReport, ...]) -> Iterator[Trouble]:
    for seat, said in enumerate(seats):
        if (fault := said.fault) is not None:
            yield Trouble(_OWNERS[fault.owner], fault.reason, storable(fault.detail), number, seat)
