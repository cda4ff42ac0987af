"""Rule options: the seventeen points that the rulebooks leave open, and our rulings."""

from __future__ import annotations

from dataclasses import dataclass, fields

from damrak_engine.errors import OptionsError


@dataclass(frozen=True, slots=True)
class Options:
    """Rule options; the defaults are the rulings of docs/rules.md."""

    row_short: str = "allow"
    reshuffle: str = "lazy"
    flush_guard: str = "feasible"
    pass_: str = "forced_only"
    stalemate: str = "score_now"
    goods_exhausted: str = "none"
    second_card: str = "mandatory_if_possible"
    turn_limit: str = "off"
    double_open_from: str = "3 players"
    all_wild: str = "yes"
    goods_ties: str = "skip"
    equal_turns: str = "off"
    initial_choice: str = "simultaneous"
    returned_order: str = "turn_order"
    first_player: str = "random"
    hand_size_public: str = "yes"
    final_tie: str = "shared"

    def to_json(self) -> dict[str, str]:
        """Return all seventeen options by their names in files."""
        return {f.name.rstrip("_"): getattr(self, f.name) for f in fields(self)}


DEFAULTS = Options()
MOST_DIGITS = 9  # of a turn limit

CHOICES: dict[str, tuple[str, ...]] = {
    "row_short": ("allow",),
    "reshuffle": ("lazy", "eager"),
    "flush_guard": ("feasible", "cap3", "once"),
    "pass": ("forced_only", "voluntary"),
    "stalemate": ("score_now", "annul"),
    "goods_exhausted": ("none", "virtual"),
    "second_card": ("mandatory_if_possible", "optional"),
    "turn_limit": ("off",),  # or a positive whole number
    "double_open_from": ("2 players", "3 players", "4 players"),
    "all_wild": ("yes", "no"),
    "goods_ties": ("skip", "skip_one", "dense", "split"),
    "equal_turns": ("off", "on"),
    "initial_choice": ("simultaneous", "in_turn_order"),
    "returned_order": ("turn_order", "shuffled"),
    "first_player": ("random", "rotate", "seat 0", "seat 1", "seat 2", "seat 3"),
    "hand_size_public": ("yes", "no"),
    "final_tie": ("shared", "goods", "seed draw"),
}


def parse_options(given: dict[str, object]) -> Options:
    """Return the options of this dictionary; missing ones have their defaults.

    Raises:
        OptionsError: naming the unknown option or the invalid value.
    """
    known: dict[str, str] = {}
    for name, value in given.items():
        if name not in CHOICES:
            raise OptionsError(f"no option {name!r}; there are: {', '.join(CHOICES)}")
        if not isinstance(value, str) or not _allowed(name, value):
            allowed = ", ".join(CHOICES[name])
            extra = " or a positive whole number" if name == "turn_limit" else ""
            raise OptionsError(f"option {name}: {value!r} is not one of: {allowed}{extra}")
        known["pass_" if name == "pass" else name] = value
    return Options(**known)


def _allowed(name: str, value: str) -> bool:
    if name == "turn_limit" and value.isascii() and value.isdigit():
        return value[0] != "0" and len(value) <= MOST_DIGITS
    return value in CHOICES[name]
