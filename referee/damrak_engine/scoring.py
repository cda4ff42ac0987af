"""Scoring at the end of a game: contracts, goods bonus, places (R46 to R52)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from damrak_engine import dice as chance
from damrak_engine.board import Board
from damrak_engine.dice import Dice
from damrak_engine.errors import EngineError
from damrak_engine.state import State


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Score and place of one seat."""

    total: int
    routes: int
    contracts: int
    goods: int
    goods_cards: int
    fulfilled: tuple[int, ...]
    failed: tuple[int, ...]
    carts_left: int
    place: int
    fault: str | None


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended; `reason` is one of `events.END_REASONS`."""

    reason: str
    seats: tuple[SeatResult, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in place 1; several share the victory."""
        return tuple(i for i, seat in enumerate(self.seats) if seat.place == 1)


def regions(board: Board, owned: int) -> list[int]:
    """Return, per location, the mask of locations that these routes join to it, and itself."""
    joined = [1 << i for i in range(len(board.locations))]
    routes = board.routes
    while owned:
        route = routes[(owned & -owned).bit_length() - 1]
        owned &= owned - 1
        if not joined[route.a] >> route.b & 1:
            union = joined[route.a] | joined[route.b]
            rest = union
            while rest:
                joined[(rest & -rest).bit_length() - 1] = union
                rest &= rest - 1
    return joined


def contract_points(board: Board, owned: int, contracts: int) -> int:
    """Return the value of these contracts with these routes: plus if fulfilled, else minus."""
    if not contracts:
        return 0
    joined = regions(board, owned)
    total = 0
    while contracts:
        contract = board.contracts[(contracts & -contracts).bit_length() - 1]
        contracts &= contracts - 1
        fulfilled = joined[contract.a] >> contract.b & 1
        total += contract.points if fulfilled else -contract.points
    return total


def split_contracts(
    board: Board, owned: int, contracts: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids of these contracts that are fulfilled, and of those that are not."""
    joined = regions(board, owned)
    done: list[int] = []
    open_: list[int] = []
    for contract in board.contracts:
        if contracts >> contract.id & 1:
            fulfilled = joined[contract.a] >> contract.b & 1
            (done if fulfilled else open_).append(contract.id)
    return tuple(done), tuple(open_)


def goods_points(counts: list[int], bonus: tuple[int, ...], ties: str = "skip") -> list[int]:
    """Return the goods bonus of each seat, given the number of goods cards of each (R47 to R49).

    `ties` is the value of the option `goods_ties`.
    """
    points = []
    for own in counts:
        ahead = [other for other in counts if other > own]
        if ties == "dense":
            rank = len(set(ahead))
        elif ties == "skip_one":
            rank = sum(min(ahead.count(number), 2) for number in set(ahead))
        else:
            rank = len(ahead)
        shared = bonus[rank : rank + counts.count(own)] if ties == "split" else bonus[rank:][:1]
        divisor = counts.count(own) if ties == "split" else 1
        points.append(sum(shared) // divisor if own else 0)
    return points


def totals(state: State) -> list[int]:
    """Return what each seat would score if the game ended now."""
    board = state.rules.board
    bonus = board.goods_bonus[state.rules.seats]
    goods = goods_points(state.goods, bonus, state.rules.options.goods_ties)
    return [
        state.points[seat]
        + goods[seat]
        + contract_points(board, state.owned[seat], state.contracts[seat])
        for seat in range(state.rules.seats)
    ]


def result(state: State, dice: Dice | None = None) -> Result:
    """Return the result of a finished game.

    `dice` is needed only under the option final_tie = seed draw.
    """
    if not state.is_over:
        raise EngineError("the game is not over")
    rules = state.rules
    board = rules.board
    goods = goods_points(state.goods, board.goods_bonus[rules.seats], rules.options.goods_ties)
    faults = dict(state.left)
    rows = []
    for seat in range(rules.seats):
        fulfilled, failed = split_contracts(board, state.owned[seat], state.contracts[seat])
        value = board.contracts
        contracts = sum(value[c].points for c in fulfilled) - sum(value[c].points for c in failed)
        routes = state.points[seat]
        rows.append(
            SeatResult(
                total=routes + contracts + goods[seat],
                routes=routes,
                contracts=contracts,
                goods=goods[seat],
                goods_cards=state.goods[seat],
                fulfilled=fulfilled,
                failed=failed,
                carts_left=state.carts[seat],
                place=0,
                fault=faults.get(seat),
            )
        )
    places = _places(state, rows, dice)
    seats = [replace(row, place=place) for row, place in zip(rows, places, strict=True)]
    return Result(state.end_reason, tuple(seats))


def _places(state: State, rows: list[SeatResult], dice: Dice | None) -> list[int]:
    options = state.rules.options
    annulled = state.end_reason == "stalemate" and options.stalemate == "annul"
    leavers = [seat for seat, _ in state.left]
    merits: list[tuple[int, ...]] = []
    for seat, row in enumerate(rows):
        if seat in leavers:
            merits.append((-1, leavers.index(seat)))
        elif annulled:
            merits.append((1,))
        elif options.final_tie == "goods":
            merits.append((1, row.total, len(row.fulfilled), row.goods_cards))
        else:
            merits.append((1, row.total, len(row.fulfilled)))
    if options.final_tie == "seed draw" and not annulled:
        merits = _drawn(merits, dice)
    return [1 + sum(other > merit for other in merits) for merit in merits]


def _drawn(merits: list[tuple[int, ...]], dice: Dice | None) -> list[tuple[int, ...]]:
    """Break ties between equal merits by drawing lots, one seat at a time."""
    order: dict[int, int] = {}
    for merit in sorted(set(merits), reverse=True):
        hat = [seat for seat, other in enumerate(merits) if other == merit]
        while len(hat) > 1:
            if dice is None:
                raise EngineError("the option final_tie = seed draw needs the dice")
            order[hat.pop(dice.pick(chance.TIE, len(hat)))] = len(hat)
    return [(*merit, order.get(seat, 0)) for seat, merit in enumerate(merits)]
