"""Results of pairings from the games of their blocks, byes and rulings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from damrak_ladder.tournaments.formats.rules import KNOCKOUTS, StageRules
from damrak_ladder.tournaments.formats.values import HALF, FormatError, Pairing, PairingResult


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game in the order of the pairing's entrants: places from 1, equal places for ties."""

    places: tuple[int, ...]
    points: tuple[int, ...] = ()
    goods: tuple[int, ...] = ()


Blocks = Sequence[Sequence[GameResult]]


def score_pairing(
    rules: StageRules, pairing: Pairing, blocks: Blocks, sudden_death: Blocks = ()
) -> PairingResult:
    """Returns the result of a pairing from the games of its counted blocks.

    Raises:
        FormatError: the list of games is empty, or a game has another number of entrants.
    """
    games = [game for block in blocks for game in block]
    extra = [game for block in sudden_death for game in block]
    size = len(pairing.entrants)
    if not games:
        raise FormatError("a pairing without games has no result; wait for a block, or rule it")
    for game in (*games, *extra):
        if len(game.places) != size:
            raise FormatError(
                f"a game with {len(game.places)} places in a pairing of {size} entrants; "
                "give one place for each entrant"
            )
    taken = _taken(games, size)
    return PairingResult(
        pairing=pairing,
        points=_points(rules, games, taken),
        blocks=len(blocks),
        games=len(games),
        taken=taken,
        first_places=tuple(_first_places(games, at) for at in range(size)),
        game_points=_totals([game.points for game in games], size),
        goods=_totals([game.goods for game in games], size),
        sudden_death=len(sudden_death),
        sudden_points=_shares(_taken(extra, size)) if extra else (),
    )


def bye(rules: StageRules, pairing: Pairing) -> PairingResult:
    """Returns the result of a bye.

    Raises:
        FormatError: the pairing has more than one entrant.
    """
    if not pairing.is_bye:
        raise FormatError("a bye has one entrant; use ruling() for a pairing that was not played")
    return PairingResult(pairing, (rules.bye,), blocks=0)


def ruling(
    rules: StageRules,
    pairing: Pairing,
    ruled: str,
    against: Collection[int],
    played: PairingResult | None = None,
) -> PairingResult:
    """Returns the result of a pairing that an organiser or a rule decided.

    "void" takes the points of both sides. "award" and "forfeit" give the entrants that are not in
    `against` the points for beating those in it; among the others the played result stands, or is a
    tie. `played` keeps the pairing a meeting.

    Raises:
        FormatError: the ruling is unknown, or not against an entrant of the pairing.
    """
    size = len(pairing.entrants)
    if ruled not in ("void", "award", "forfeit"):
        raise FormatError(f"ruling: {ruled!r} is unknown; choose void, award or forfeit")
    if not set(against) <= set(pairing.entrants):
        raise FormatError("ruling: against an entrant of another pairing; name one of this pairing")
    base = played or PairingResult(pairing, (Fraction(0),) * size, blocks=0)
    if ruled == "void":
        return replace(base, points=(Fraction(0),) * size, ruled=ruled)
    if not against:
        raise FormatError("ruling: name the entrants that lose the pairing")
    guilty = [number in against for number in pairing.entrants]

    def share(at: int, other: int) -> Fraction:
        if at == other or (guilty[at] and guilty[other]):
            return Fraction(0)
        if guilty[at] != guilty[other]:
            return Fraction(guilty[other])
        return played.share(at, other) if played else HALF

    taken = tuple(tuple(share(at, other) for other in range(size)) for at in range(size))
    points = _ruled_points(rules, taken, guilty)
    return replace(base, points=points, taken=taken, sudden_points=(), ruled=ruled)


def needs_sudden_death(rules: StageRules, result: PairingResult) -> bool:
    """Returns whether a pairing of a knockout needs one more block to be decided."""
    if rules.format not in KNOCKOUTS or result.ruled or result.pairing.is_bye:
        return False
    return result.sudden_death < rules.sudden_death_limit and is_tied(result)


def is_tied(result: PairingResult) -> bool:
    """Returns whether points and sudden death leave open which entrants advance in a knockout."""
    size = len(result.points)
    qualifying = qualifying_places(size, result.pairing.slot)
    sudden = result.sudden_points or (Fraction(0),) * size
    keys = sorted(zip(result.points, sudden, strict=True), reverse=True)
    return qualifying < size and keys[qualifying - 1] == keys[qualifying]


def qualifying_places(size: int, slot: str = "") -> int:
    """Returns how many entrants of a pairing of a knockout advance: two of a table of four."""
    return 1 if size <= 2 or slot == "F" else 2


def _taken(games: Sequence[GameResult], size: int) -> tuple[tuple[Fraction, ...], ...]:
    halves = [[0] * size for _ in range(size)]
    for game in games:
        for at, mine in enumerate(game.places):
            for other, theirs in enumerate(game.places):
                if at != other:
                    halves[at][other] += 2 if mine < theirs else mine == theirs
    return tuple(tuple(Fraction(half, 2 * len(games)) for half in row) for row in halves)


def _points(
    rules: StageRules, games: Sequence[GameResult], taken: tuple[tuple[Fraction, ...], ...]
) -> tuple[Fraction, ...]:
    size = len(taken)
    if rules.points == "share":
        return _shares(taken)
    if rules.points == "match":
        return _match_points(_shares(taken))
    table = place_table(rules, size)
    totals = [Fraction(0)] * size
    for game in games:
        for at, place in enumerate(game.places):
            tied = game.places.count(place)
            first = sum(other < place for other in game.places)
            totals[at] += sum(table[first : first + tied], Fraction(0)) / tied
    return tuple(total / len(games) for total in totals)


def place_table(rules: StageRules, size: int) -> tuple[Fraction, ...]:
    """Returns the points of each place at a table of this size."""
    return next(row for row in rules.place_points if len(row) == size)


def _shares(taken: tuple[tuple[Fraction, ...], ...]) -> tuple[Fraction, ...]:
    return tuple(sum(row, Fraction(0)) / max(1, len(row) - 1) for row in taken)


def _match_points(shares: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    halves = [
        sum(2 if mine > theirs else mine == theirs for theirs in shares) - 1 for mine in shares
    ]  # the tie with itself does not count
    return tuple(Fraction(half, 2 * max(1, len(shares) - 1)) for half in halves)


def _ruled_points(
    rules: StageRules, taken: tuple[tuple[Fraction, ...], ...], guilty: list[bool]
) -> tuple[Fraction, ...]:
    shares = _shares(taken)
    if rules.points == "match":
        points = _match_points(shares)
    elif rules.points == "places":
        places = tuple(1 + sum(other > mine for other in shares) for mine in shares)
        points = _points(rules, [GameResult(places)], taken)
    else:
        points = shares
    return tuple(Fraction(0) if out else mine for mine, out in zip(points, guilty, strict=True))


def _first_places(games: Sequence[GameResult], at: int) -> Fraction:
    won = [game for game in games if game.places[at] == min(game.places)]
    return sum((Fraction(1, game.places.count(min(game.places))) for game in won), Fraction(0))


def _totals(rows: Sequence[tuple[int, ...]], size: int) -> tuple[int, ...]:
    full = [row for row in rows if row]
    return tuple(sum(row[at] for row in full) for at in range(size)) if full else ()
