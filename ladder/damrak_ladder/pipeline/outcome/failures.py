"""The failures of a version in a recorded block, described for its author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Blame, Block, Fault, SeatLog, SeatResult
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.message_codes.message import Message

_TRACEBACK: Final = 8000  # characters, from the end, which is the most useful part
_REJECTIONS: Final = 10

_MESSAGES: Final = {
    "timeout": codes.GameTimeout,
    "crash": codes.GameCrash,
    "disconnect": codes.GameDisconnect,
    "illegal": codes.GameIllegal,
    "memory": codes.GameMemory,
    "protocol": codes.GameProtocol,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A game in which a version was at fault, with the known details."""

    match: int  # primary key
    number: int  # within its block, from 0
    seat: int
    attempt: int
    reason: str
    detail: str
    is_own: bool  # not the network's
    traceback: str
    rejections: tuple[str, ...]

    @property
    def message(self) -> Message:
        """Return the message for the author."""
        return self._message(self.detail)

    @property
    def public_message(self) -> Message:
        """Return the public message, without the bot's own output, which is its author's."""
        return self._message("")

    def _message(self, detail: str) -> Message:
        place = codes.GamePlace(self.number + 1, self.match, self.seat + 1)
        if known := _MESSAGES.get(self.reason):
            return known(place, detail)
        return codes.GameFault(self.reason, place, detail)

    @property
    def evidence(self) -> dict[str, Any]:
        """Return the details kept with the version, for its owner and staff."""
        return {
            "fault": self.reason,
            "detail": self.detail,
            "match": self.match,
            "seat": self.seat,
            "attempt": self.attempt,
            "traceback": self.traceback,
            "rejections": list(self.rejections),
        }


def failures_of(block: Block, version: Version) -> list[Failure]:
    """Return all games of a recorded block in which a version had a fault, in order."""
    results = (
        SeatResult.objects.filter(seat__match__block=block, seat__version=version)
        .exclude(fault="")
        .select_related("seat__match")
        .order_by("seat__match__number", "seat__number")
    )
    found = []
    for result in results:
        seat = result.seat
        fault = Fault.objects.filter(seat=seat, attempt__number=result.attempt).first()
        log = SeatLog.objects.filter(seat=seat, attempt=result.attempt).first()
        found.append(
            Failure(
                match=seat.match_id,
                number=seat.match.number,
                seat=seat.number,
                attempt=result.attempt,
                reason=result.fault,
                detail=fault.detail if fault is not None else "",
                is_own=fault is None or fault.owner != Blame.NETWORK,
                traceback="" if log is None else log.traceback[-_TRACEBACK:],
                rejections=() if log is None else tuple(log.rejections[:_REJECTIONS]),
            )
        )
    return found
