"""The event loop of `damrak connect`: one thread that processes all events in turn."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import Final

from damrak.cli.connect_output import Attendance
from damrak.cli.errors import INTERRUPTED, OK
from damrak.errors import HostError, RefereeError
from damrak.remote.address import Address, parse_address
from damrak.remote.channels import Security
from damrak.remote.games import GameOver, Games
from damrak.remote.lobby import Away, Lobby, News
from damrak_wire.lobby import Call, Closing, Registered, Withdrawal

LEAVING: Final = "this bot is disconnecting"
MOMENT: Final = 0.5  # seconds; for platforms on which waiting cannot be interrupted


class Stop:
    """A request to stop, as by Ctrl-C."""


Heard = News | GameOver | Stop | BaseException
"""Events for the desk; an exception comes from a lobby that rejects the bot."""


class Desk:
    """Coordinates the games of a bot at one referee."""

    def __init__(
        self,
        lobby: Lobby,
        games: Games,
        attendance: Attendance,
        address: Address,
        security: Security,
        capacity: int,
    ) -> None:
        self._lobby = lobby
        self._games = games
        self._attendance = attendance
        self._address = address
        self._security = security
        self._capacity = capacity
        self._is_finishing = False
        self._problem: BaseException | None = None
        self._due: dict[str, Call] = {}  # calls to accept as soon as a game ends

    def serve(self, heard: SimpleQueue[Heard]) -> int:
        """Play until asked to stop, and return the exit code of the process.

        Raises:
            RefereeError: the referee rejects this bot; running games were finished first.
        """
        while not (self._is_finishing and not self._games.playing and heard.empty()):
            try:
                news = heard.get(timeout=MOMENT)
            except Empty:
                continue
            match news:
                case Stop() if self._is_finishing:
                    return INTERRUPTED
                case Stop():
                    self._finish()
                case GameOver():
                    self._attendance.over(news, len(self._games))
                    self._take_next()
                case Call():
                    self._called(news)
                case Withdrawal(match, reason):
                    self._due.pop(match, None)
                    self._games.withdraw(match, reason)
                case Registered():
                    self._attendance.registered(news, self._capacity)
                case Away():
                    self._attendance.away(news)
                case Closing():
                    self._attendance.closing(news)
                    if news.final and not self._is_finishing:
                        self._finish()
                case BaseException():
                    self._problem = news
                    self._finish()
        if self._problem is not None:
            raise self._problem
        return OK

    def _finish(self) -> None:
        self._is_finishing = True
        self._lobby.resize(0)
        self._attendance.finishing(self._games.playing)
        for call in self._due.values():
            self._decline(call, LEAVING)
        self._due.clear()

    def _called(self, call: Call) -> None:
        if call.match in self._games:
            self._go(call)
        elif self._is_finishing:
            self._decline(call, LEAVING)
        elif len(self._games) < self._capacity:
            self._go(call)
        elif call.match in self._due or len(self._due) < self._capacity:
            # The referee sees the end of a match earlier than the bot, which has not received it
            # yet.
            self._due[call.match] = call
        else:
            self._decline(call, f"this bot already plays {self._capacity} games")

    def _take_next(self) -> None:
        while self._due and len(self._games) < self._capacity:
            self._go(self._due.pop(next(iter(self._due))))

    def _go(self, call: Call) -> None:
        is_new = call.match not in self._games
        try:
            address = parse_address(call.address) if call.address else self._address
            self._games.come(call.match, address, self._security, call.ticket, call.patience_ms)
        except (RefereeError, HostError) as problem:
            self._decline(call, str(problem))
            return
        if is_new:
            self._attendance.called(call, len(self._games))

    def _decline(self, call: Call, reason: str) -> None:
        self._lobby.decline(call.match, reason)
        self._attendance.declined(call.match, reason)
