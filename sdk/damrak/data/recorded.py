"""Recorded matches: the headers, decisions and results of replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from damrak.data.dumps import Ratings, dump_at, is_address
from damrak.data.files import DamagedFile, Source, files_of, places_of, replays_in
from damrak.data.known_boards import KnownBoards
from damrak.data.selection import Bounds, Selection
from damrak_engine.errors import ReplayError
from damrak_engine.replay import Header, parse_header, parse_result, raw_events
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class Match:
    """A match as recorded in a replay. Tuples are indexed by seat."""

    name: str
    """The file, and the line if the file contains several replays."""
    header: Header
    result: Result
    rules: Rules = field(repr=False)
    events: list[Any] = field(repr=False)
    """The events as JSON objects (see docs/replay.md)."""
    ratings: tuple[float | None, ...] = ()
    """The Elo of each seat, from the standings of the dump; None without a rating."""

    @property
    def board(self) -> str:
        """The id of the board."""
        return self.header.board.id

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots."""
        return tuple([player.bot for player in self.header.seats])

    @property
    def totals(self) -> tuple[int, ...]:
        """The final points."""
        return tuple([seat.total for seat in self.result.seats])

    @property
    def places(self) -> tuple[int, ...]:
        """The final places, from 1."""
        return tuple([seat.place for seat in self.result.seats])


def matches(
    source: Source,
    *,
    bot: str | None = None,
    seat: int | None = None,
    board: str | None = None,
    rating: Bounds | None = None,
) -> Iterator[Match]:
    """Yield the matches in a file, a folder, a dump, or several of them.

    A dump is a folder with `index.json`, or the address of a site. Only matches on the board with
    the id `board`, if given, and only those in which `bot` plays, in `seat`, with a rating within
    the bounds of `rating`. Ratings are the published ones of the dump: of the match's ladder, or
    else of the ladder on which the version has played most.

    Raises:
        FileNotFoundError: a file or folder does not exist.
        DamagedFile: a file contains something other than replays; the message has its name.
        SiteUnreachable: the site of a dump does not answer.
        ValueError: `rating` is given, but a source is not a dump, so it has no ratings.
    """
    return selected(source, Selection(bot, seat, rating), board)


def selected(source: Source, selection: Selection, board: str | None) -> Iterator[Match]:
    """Yield the matches with a seat of this selection, on this board if it is given."""
    boards = KnownBoards()
    for name, data, ratings in _replays(source, selection.rating is not None):
        match = _match(name, data, boards, ratings)
        if board in (None, match.board) and any(selection.seats(match.bots, match.ratings)):
            yield match


def rows(source: str | PathLike[str], table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of a dump, such as `standings` or `matches`.

    Raises:
        DamagedFile: a file differs from the index, or the folder contains no dump.
        SiteUnreachable: the site does not answer.
    """
    place = fspath(source)
    dump = dump_at(place)
    if dump is None:
        cure = "write one with `damrak-ladder dump`, or use the address of a site"
        raise DamagedFile(place, "this folder contains no dump (index.json)", cure)
    return dump.rows(table)


def _replays(source: Source, needs_ratings: bool) -> Iterator[tuple[str, bytes, Ratings]]:
    for place in places_of(source):
        dump = dump_at(place) if is_address(place) or Path(place).is_dir() else None
        if dump is not None:
            ratings = dump.ratings()
            for name, line in dump.lines("replays"):
                yield name, line, ratings
            continue
        if needs_ratings:
            raise ValueError(f"{place}: only dumps have ratings (see docs/data.md)")
        for path in files_of(place):
            for name, data in replays_in(path):
                yield name, data, {}


def _ratings(header: Header, ratings: Ratings) -> tuple[float | None, ...]:
    return tuple(
        [
            ratings.get(
                (header.ladder, player.bot, player.version),
                ratings.get((None, player.bot, player.version)),
            )
            for player in header.seats
        ]
    )


def _match(name: str, data: bytes, boards: KnownBoards, ratings: Ratings) -> Match:
    try:
        raw, board = boards.read(data)
        if not isinstance(raw, dict):
            raise ReplayError("header", "a replay to be an object")
        header = parse_header(raw, board)
        boards.keep(header.board, data)
        rules = rules_for(header.board, len(header.seats), header.options)
        result = parse_result(raw["result"], len(header.seats))
        rated = _ratings(header, ratings)
        return Match(name, header, result, rules, raw_events(raw), rated)
    except KeyError as missing:
        raise DamagedFile(name, f"a replay must have a field {missing}") from None
    except RecursionError:
        raise DamagedFile(name, "JSON is nested too deeply") from None
    except (ReplayError, ValueError) as problem:
        raise DamagedFile(name, problem) from None
