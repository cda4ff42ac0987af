"""A position as text, shown by the render mode `ansi`."""

from __future__ import annotations

from damrak.env.layout import PHASES
from damrak_engine.cards import KINDS, NO_CARD, WORDS, count
from damrak_engine.observation import Observation


def describe(seen: Observation) -> str:
    """Return a few lines of text with what a seat sees."""
    board = seen.rules.board
    row = " ".join("-" if card == NO_CARD else WORDS[card] for card in seen.row)
    lines = [
        f"{board.name}, {seen.turns} turns played, {PHASES[seen.phase]}; seat {seen.seat} looks",
        f"row: {row}; {seen.pile_size} cards in the pile, {seen.goods_left} goods cards left",
    ]
    lines += [_seat(seen, seat) for seat in range(seen.rules.seats)]
    lines.append(f"hand: {_cards(seen.hand)}")
    lines += _contracts(seen, "contract", [c.id for c in board.contracts if _holds(seen, c.id)])
    lines += _contracts(seen, "on offer", seen.offer)
    return "\n".join(lines) + "\n"


def _seat(seen: Observation, seat: int) -> str:
    routes = seen.rules.board.routes
    mine = [seen.rules.board.route_name(r.id) for r in routes if seen.owned[seat] >> r.id & 1]
    marker = ">" if seat == seen.actor else " "
    hand = "" if seen.hand_sizes is None else f"{seen.hand_sizes[seat]} cards, "
    return (
        f"{marker} seat {seat}: {seen.points[seat]} points, {hand}{seen.carts[seat]} carts, "
        f"{seen.contract_counts[seat]} contracts, {seen.goods[seat]} goods; "
        f"routes: {', '.join(mine) or 'none'}"
    )


def _cards(pack: int) -> str:
    held = [f"{count(pack, kind)} {WORDS[kind]}" for kind in range(KINDS) if count(pack, kind)]
    return ", ".join(held) or "none"


def _holds(seen: Observation, contract: int) -> bool:
    return bool(seen.contracts >> contract & 1)


def _contracts(seen: Observation, word: str, ids: list[int] | tuple[int, ...]) -> list[str]:
    return [f"{word}: {seen.rules.board.contract_name(contract)}" for contract in ids]
