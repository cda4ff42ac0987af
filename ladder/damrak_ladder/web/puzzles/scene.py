"""A puzzle for its page: the position from the eyes of its seat, and the moves in words.

Everything comes from the moments of that seat, which contain nothing that it did not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.puzzles.models import Puzzle
from damrak_ladder.puzzles.reasons import reasons_of
from damrak_ladder.web.learn.picture import picture
from damrak_ladder.web.replays import panels
from damrak_ladder.web.replays.board_picture import owners_at
from damrak_ladder.web.replays.sources import document, replay_of
from damrak_ladder.web.replays.words import Speaker, deed, words


@dataclass(frozen=True, slots=True)
class Move:
    """A move to choose from; what it is worth is only shown after the answer."""

    number: int
    text: str
    is_best: bool
    is_played: bool
    behind: str  # points by which the best move leads this one, with its interval


@dataclass(frozen=True, slots=True)
class Scene:
    """The position and the moves."""

    board_name: str
    board: SafeString
    row: SafeString
    seats: SafeString
    turn: str
    seat: int
    moves: tuple[Move, ...]
    reasons: tuple[str, ...]  # facts about the best move
    played: str


def scene_of(puzzle: Puzzle) -> Scene:
    """Return the scene of a puzzle in the language of this request.

    Raises:
        Http404: the replay is lost.
    """
    replay = replay_of(puzzle.match)
    shown: dict[str, Any] = document(puzzle.match, str(puzzle.seat))
    others = iter(range(1, len(shown["seats"])))
    names = [
        _("You") if seat == puzzle.seat else _("Opponent %(n)s") % {"n": next(others)}
        for seat in range(len(shown["seats"]))
    ]
    hidden = {"version": "", "owner": ""}
    seats = [{**hidden, "bot": name} for name in names]
    speaker = Speaker(words(), {**shown, "seats": seats})
    values: dict[str, Any] = {}
    for _event, changes in shown["moments"][: puzzle.moment + 1]:
        values |= changes
    owners = owners_at(shown["moments"], puzzle.moment)
    claims: dict[int, list[int]] = {}
    for number, choice in enumerate(puzzle.choices):
        if choice["event"] == "claim":
            claims.setdefault(choice["route"], []).append(number)
    return Scene(
        board_name=replay.board.name,
        board=picture(replay.board, owners, claims, puzzle.seat, "puzzle-board"),
        row=panels.market(speaker, values),
        seats=panels.seats(speaker, values, has_times=False),
        turn=speaker.fill("turn", {"n": values["turn"] + 1}),
        seat=puzzle.seat,
        moves=tuple(_move(puzzle, speaker, number) for number in range(len(puzzle.choices))),
        reasons=tuple(text_of(one) for one in reasons_of(puzzle, replay)),
        played=deed(speaker.words, speaker.match, puzzle.played),
    )


def _move(puzzle: Puzzle, speaker: Speaker, number: int) -> Move:
    choice = puzzle.choices[number]
    value, low, high = (number_format(one, 1) for one in puzzle.gains[number])
    return Move(
        number,
        deed(speaker.words, speaker.match, choice),
        number == puzzle.best,
        choice == puzzle.played,
        _("%(value)s points behind (95 %% interval: %(low)s to %(high)s)")
        % {"value": value, "low": low, "high": high},
    )
