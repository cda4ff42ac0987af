"""The panels beside the board at one moment, for pages without a script.

They show the row, the pile and the discards, and the hand, contracts, carts, goods and score of
each seat, from the viewpoint of the given values. Scripts draw the same (`market.js`, `seats.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.html import escape
from django.utils.safestring import SafeString

from damrak_ladder.web.replays.words import Speaker, signed

KINDS: Final = ("pink", "blue", "green", "black", "red", "orange", "wild")
"""The colours and cards, as replays name them and in the order of their numbers."""

_NOTHING: Final = f'<span class="soft">{chr(0x2013)}</span>'


def market(speaker: Speaker, values: dict[str, Any]) -> SafeString:
    """Return the row, the pile, the goods cards and the discards."""
    facts = (
        ("pile", "pile", "", str(values["pile"])),
        ("goods_left", "goods_left", "", str(values["goods"])),
        ("discards", "discards", "counts", _cards(speaker, values["discards"], values["lost"])),
    )
    told = "".join(
        f'<div class="{name}"><dt>{escape(speaker.text(word))}</dt>'
        f'<dd class="{style}">{shown}</dd></div>'
        for name, word, style, shown in facts
    )
    return SafeString(f'{row(speaker, values)}<dl class="market-facts">{told}</dl>')


def seats(speaker: Speaker, values: dict[str, Any], *, has_times: bool = True) -> SafeString:
    """Return a panel for each seat, with or without thinking times."""
    every = range(len(speaker.match["seats"]))
    return SafeString("".join(_seat(speaker, values, seat, has_times) for seat in every))


def unseen(speaker: Speaker, values: dict[str, Any]) -> tuple[str, SafeString]:
    """Return how many cards are hidden from this viewpoint, in words, and which."""
    hidden = sum(values[f"h{seat}"][len(KINDS)] for seat in range(len(speaker.match["seats"])))
    places = {
        "pile": speaker.count("n_cards", values["pile"]),
        "hidden": speaker.count("n_cards", hidden),
    }
    certain = [
        speaker.fill("in_hands", {"n": number}) if number and hidden else ""
        for number in values["floor"]
    ]
    cards = _cards(speaker, values["unseen"], 0, certain)
    return speaker.fill("unseen", places), SafeString(cards)


def row(speaker: Speaker, values: dict[str, Any]) -> SafeString:
    """Return the cards of the row."""
    faces = "".join(f"<li>{_face(speaker, kind)}</li>" for kind in values["row"])
    label = escape(speaker.text("row"))
    return SafeString(f'<ol class="row" aria-label="{label}">{faces}</ol>')


def hand(speaker: Speaker, values: dict[str, Any], seat: int) -> SafeString:
    """Return the cards of a hand."""
    held = values[f"h{seat}"]
    return SafeString(f'<span class="counts">{_cards(speaker, held, held[len(KINDS)])}</span>')


def contracts(speaker: Speaker, values: dict[str, Any], seat: int) -> SafeString:
    """Return the contracts of a seat, and those from which it chooses."""
    return SafeString(f'<ul class="contracts">{"".join(_contracts(speaker, values, seat))}</ul>')


def cards(speaker: Speaker, kinds: Iterable[int]) -> SafeString:
    """Return these cards one by one."""
    return SafeString("".join(_face(speaker, kind) for kind in kinds))


def _seat(speaker: Speaker, values: dict[str, Any], seat: int, has_times: bool) -> str:
    sits = speaker.match["seats"][seat]
    score = values.get(f"z{seat}", values[f"s{seat}"])
    seconds = number_format((values[f"m{seat}"] + 50) // 100 / 10, 1)  # number_format truncates
    facts = [
        speaker.count("n_carts", values[f"k{seat}"]),
        speaker.count("n_goods", values[f"g{seat}"]),
    ]
    if has_times:
        facts.append(speaker.fill("thought", {"n": seconds}))
    hand = values[f"h{seat}"]
    acts = " acts" if seat in values.get("actor", ()) else ""
    full = escape(f"{sits['bot']} {sits['version']} \N{MIDDLE DOT} {sits['owner']}")
    return (
        f'<article class="seat seat--{seat}{acts}" aria-label="{escape(sits["bot"])}"><header>'
        f'<svg viewBox="-21 -14 42 28" aria-hidden="true"><use href="#cart-{seat}"/></svg>'
        f'<strong class="seat__name" title="{full}">{escape(sits["bot"])}</strong>'
        f"{_badge(speaker, values, seat)}"
        f'<output class="seat__score">{signed(score)}</output></header>'
        f'<p class="seat__facts">{"".join(f"<span>{escape(fact)}</span>" for fact in facts)}</p>'
        f'<p class="counts">{_cards(speaker, hand, hand[len(KINDS)])}</p>'
        f'<ul class="contracts">{"".join(_contracts(speaker, values, seat))}</ul></article>'
    )


def _badge(speaker: Speaker, values: dict[str, Any], seat: int) -> str:
    fault, place = values[f"x{seat}"], values.get(f"y{seat}")
    tone = " tag--bad" if fault else " tag--good" if place == 1 else ""
    if place:
        says = speaker.fill("place", {"n": place})
    elif fault:
        says = speaker.text(fault)
    elif seat in values.get("actor", ()):
        says = speaker.text("thinks")
    else:
        return ""
    return f'<span class="tag seat__badge{tone}">{escape(says)}</span>'


def _contracts(speaker: Speaker, values: dict[str, Any], seat: int) -> Iterable[str]:
    for held, hidden in (("c", "n_hidden_contracts"), ("q", "n_offered")):
        known = [contract for contract in values[f"{held}{seat}"] if contract is not None]
        for contract in known:
            is_done = held == "c" and contract in values[f"d{seat}"]
            done = " contract--done" if is_done else ""
            mark, state = (
                ("?", "choosing")
                if held == "q"
                else ("\N{CHECK MARK}", "fulfilled")
                if is_done
                else ("\N{WHITE CIRCLE}", "unfulfilled")
            )
            yield (
                f'<li><span class="contract{done}"><b aria-hidden="true">{mark}</b>'
                f" {escape(speaker.contract(contract))}"
                f' <span class="hidden">{escape(speaker.text(state))}</span></span></li>'
            )
        if number := len(values[f"{held}{seat}"]) - len(known):
            says = escape(speaker.count(hidden, number))
            yield f'<li><span class="contract contract--back">{says}</span></li>'


def _cards(
    speaker: Speaker, numbers: Sequence[int], hidden: int, certain: Sequence[str] = ()
) -> str:
    """Return cards by kind with their numbers, and the number of unknown cards."""
    shown = []
    for kind, word in enumerate(KINDS):
        if numbers[kind]:
            note = f"<em>{escape(certain[kind])}</em>" if certain and certain[kind] else ""
            shown.append(_card(speaker, word, f"<b>{numbers[kind]}</b>{note}"))
    if hidden:
        name = escape(speaker.count("n_hidden", hidden))
        shown.append(
            f'<span class="card back" title="{name}"><b>{hidden}</b>'
            f'<span class="hidden">{name}</span></span>'
        )
    return "".join(shown) or _NOTHING


def _face(speaker: Speaker, kind: int) -> str:
    if kind < 0:
        empty = escape(speaker.text("empty"))
        return f'<span class="card none"><span class="hidden">{empty}</span></span>'
    return _card(speaker, KINDS[kind], "")


def _card(speaker: Speaker, kind: str, more: str) -> str:
    name = escape(speaker.text(kind))
    return (
        f'<span class="card {kind}" title="{name}"><svg viewBox="-8 -8 16 16" aria-hidden="true">'
        f'<use href="#sign-{kind}"/></svg><span class="hidden">{name}</span>{more}</span>'
    )
