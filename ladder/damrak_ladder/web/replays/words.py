"""All texts of the viewer in the reader's language, for templates and for the script.

A sentence has placeholders such as %(bot)s. Counted texts have three forms, for 1, 2 and 5, which
is all that the languages of this site distinguish.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.utils.translation import get_language, gettext as _, ngettext, pgettext

Words: TypeAlias = dict[str, str | list[str]]

DASH: Final = "\u2013"
TIMES: Final = "\u00d7"
_SAMPLES: Final = (1, 2, 5)


def words() -> Words:
    """Return the catalogue in the language of this request; it must not be changed."""
    return _words(get_language())


@lru_cache(maxsize=16)
def _words(_language: str) -> Words:
    return {**_sentences(), **_counted(), **_names(), **_labels()}


def _sentences() -> Words:
    return {
        "deal": _("The cards are dealt; %(bot)s begins."),
        "keep": _("%(bot)s keeps %(contracts)s."),
        "blind": _("%(bot)s draws from the pile: %(card)s."),
        "blind_hidden": _("%(bot)s draws a card from the pile."),
        "take": _("%(bot)s takes from the row: %(card)s."),
        "refill": _("New in the row: %(card)s."),
        "reshuffle": _("The discards become the new pile."),
        "flush": _("Too many wilds: the row is cleared."),
        "claim": _("%(bot)s claims %(route)s for %(points)s and pays %(cards)s."),
        "claim_goods": _(
            "%(bot)s claims %(route)s for %(points)s, pays %(cards)s and gets a goods card."
        ),
        "offer": _("%(bot)s draws contracts: %(contracts)s."),
        "offer_hidden": _("%(bot)s draws %(contracts)s."),
        "pass": _("%(bot)s passes."),
        "last_round": _("%(bot)s has %(carts)s left: the last round begins."),
        "fault": _("%(bot)s leaves the table: %(reason)s."),
        "end": _("The game ends: %(reason)s."),
        "count_routes": _("The final scoring begins with the points of the routes."),
        "count_fulfilled": _("%(bot)s has fulfilled %(contract)s: %(points)s."),
        "count_failed": _("%(bot)s has not fulfilled %(contract)s: %(points)s."),
        "count_goods": _("%(bot)s gets %(points)s for goods cards."),
        "places": _("%(bot)s wins with %(points)s."),
        "places_shared": _("%(bots)s share the victory with %(points)s."),
        "line_claim": _("%(bot)s claims %(route)s: %(cards)s"),
        "line_fulfils": _("%(line)s. It fulfils %(contract)s"),
        "line_near": _("%(line)s. One route short of %(contract)s"),
        "line_draw": _("%(bot)s draws: %(cards)s"),
        "line_hidden": pgettext("drawn from the pile", "hidden card"),
        "void": _("This attempt does not count. The match may be played again."),
        "waiting": _("Waiting for the match to begin …"),
    }


def _counted() -> Words:
    return {
        "n_points": [ngettext("%(n)s point", "%(n)s points", n) for n in _SAMPLES],
        "n_carts": [ngettext("%(n)s cart", "%(n)s carts", n) for n in _SAMPLES],
        "n_contracts": [ngettext("%(n)s contract", "%(n)s contracts", n) for n in _SAMPLES],
        "n_cards": [ngettext("%(n)s card", "%(n)s cards", n) for n in _SAMPLES],
        "n_hidden": [ngettext("%(n)s hidden card", "%(n)s hidden cards", n) for n in _SAMPLES],
        "n_goods": [ngettext("%(n)s goods card", "%(n)s goods cards", n) for n in _SAMPLES],
        "n_hidden_contracts": [
            ngettext("%(n)s hidden contract", "%(n)s hidden contracts", n) for n in _SAMPLES
        ],
        "n_offered": [
            ngettext("chooses from %(n)s contract", "chooses from %(n)s contracts", n)
            for n in _SAMPLES
        ],
        "n_missing": [ngettext("%(n)s space to go", "%(n)s spaces to go", n) for n in _SAMPLES],
    }


def _names() -> Words:
    return {
        "pink": _("pink"),
        "blue": _("blue"),
        "green": _("green"),
        "black": _("black"),
        "red": _("red"),
        "orange": _("orange"),
        "wild": _("wild"),
        "carts": _("the last round is over after a player ran low on carts"),
        "stalemate": _("no player could move"),
        "forfeit": _("only one seat is left"),
        "turn_limit": _("the limit of turns is reached"),
        "timeout": _("out of time"),
        "crash": _("crashed"),
        "disconnect": _("disconnected"),
        "illegal": _("illegal action"),
        "memory": _("out of memory"),
        "protocol": _("broke the protocol"),
    }


def _labels() -> Words:
    return {
        "turn": _("Turn %(n)s"),
        "event": _("Event %(n)s"),
        "play": _("Play"),
        "pause": _("Pause"),
        "empty": _("empty"),
        "fulfilled": _("fulfilled"),
        "unfulfilled": _("open"),
        "impossible": _("can no longer be fulfilled"),
        "choosing": _("choosing"),
        "thinks": _("to move"),
        "copied": _("Link copied."),
        "failed": _("Loading failed. Please try again."),
        "score_of": _(
            "Scores over the game: the points of each player if the game ended "
            "there, as visible in this view"
        ),
        "live_on": pgettext("broadcast", "live"),
        "behind_s": _("%(n)s s behind"),
        "behind_min": _("%(n)s min behind"),
        "live_lost": _("Connection lost. Reconnecting …"),
        "live_full": _(
            "Too many people are watching. The game appears as soon as a place is free."
        ),
        "live_over": _(
            "The game is over. The final scoring follows when the other games of its block "
            "are over."
        ),
        "pile": _("pile"),
        "row": _("the row"),
        "discards": _("discards"),
        "goods_left": _("goods cards left"),
        "unseen": _("%(pile)s in the pile and %(hidden)s in the hands of players. Together:"),
        "in_hands": _("%(n)s in the hands of players"),
        "thought": _("thought for %(n)s s"),
        "clock": _("%(n)s s left"),
        "place": _("Place %(n)s"),
    }


def deed(catalogue: Words, match: dict[str, Any], action: dict[str, Any]) -> str:
    """Describe an action, taken or possible, without its seat; `action` is as in a replay."""
    speaker = Speaker(catalogue, match)
    match action["event"]:
        case "keep":
            return _("keep %(contracts)s") % {"contracts": speaker.contracts(action["contracts"])}
        case "blind":
            return _("draw from the pile")
        case "take":
            return _("take from the row: %(card)s") % {"card": speaker.text(action["card"])}
        case "offer":
            return _("draw contracts")
        case "claim":
            return _("claim %(route)s for %(cards)s") % speaker.claim(action)
        case _:
            return _("pass")


def _form(language: str, number: int) -> int:
    """Return which of the three forms a number takes."""
    number = abs(number)
    if number == 1:
        return 0
    if language == "pl" and number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14):
        return 1
    return 2


def signed(number: int) -> str:
    """Return a number with a true minus sign."""
    return f"\u2212{-number}" if number < 0 else str(number)


def sentence(catalogue: Words, match: dict[str, Any], event: dict[str, Any], values: Any) -> str:
    """Describe an event in words; the script uses the same ones."""
    return Speaker(catalogue, match).say(event, values)


class Speaker:
    """Describes the events of one match in the language of this request."""

    def __init__(self, catalogue: Words, match: dict[str, Any]) -> None:
        self.words = catalogue
        self.match = match
        self.language = get_language() or "en"

    def say(self, event: dict[str, Any], values: Any) -> str:
        kind: str = event["event"]
        places: dict[str, Any] = {}
        if "seat" in event:
            places["bot"] = self.bot(event["seat"])
        if event.get("card"):
            places["card"] = self.text(event["card"])
        if "points" in event:
            places["points"] = self.count("n_points", event["points"])
        match kind:
            case "deal":
                places["bot"] = self.bot(event["first"])
            case "keep" | "offer":
                is_hidden = None in event["contracts"]
                places["contracts"] = self.contracts(event["contracts"])
                kind = "offer_hidden" if kind == "offer" and is_hidden else kind
            case "blind":
                kind = "blind" if event["card"] else "blind_hidden"
            case "claim":
                kind = "claim_goods" if event["goods"] else "claim"
                places |= self.claim(event)
            case "last_round":
                places["carts"] = self.count("n_carts", values[f"k{event['seat']}"])
            case "fault" | "end":
                places["reason"] = self.text(event["reason"])
            case "count_contract":
                kind = "count_fulfilled" if event["points"] >= 0 else "count_failed"
                if event["contract"] not in values[f"d{event['seat']}"]:
                    kind = "count_failed"
                places["contract"] = self.contract(event["contract"])
            case "places":
                return self.winners(values)
        return self.fill(kind, places)

    def text(self, key: str) -> str:
        word = self.words[key]
        return word if isinstance(word, str) else word[0]

    def fill(self, key: str, places: dict[str, Any]) -> str:
        return self.text(key) % places

    def count(self, key: str, number: int) -> str:
        forms = self.words[key]
        assert isinstance(forms, list)
        return forms[_form(self.language, number)] % {"n": signed(number)}

    def bot(self, seat: int) -> str:
        return str(self.match["seats"][seat]["bot"])

    def between(self, a: int, b: int) -> str:
        places = self.match["places"]
        return f"{places[a]} {DASH} {places[b]}"

    def route(self, number: int) -> str:
        a, b, *_rest = self.match["routes"][number]
        return self.between(a, b)

    def contract(self, number: int) -> str:
        a, b, points = self.match["contracts"][number]
        return f"{self.between(a, b)} ({points})"

    def contracts(self, ids: list[int | None]) -> str:
        if None in ids:
            return self.count("n_contracts", len(ids))
        return ", ".join(self.contract(number) for number in ids if number is not None)

    def claim(self, event: dict[str, Any]) -> dict[str, str]:
        length = self.match["routes"][event["route"]][2]
        paid = []
        if event["colour"] and length > event["wilds"]:
            paid.append(f"{length - event['wilds']} {TIMES} {self.text(event['colour'])}")
        if event["wilds"]:
            paid.append(f"{event['wilds']} {TIMES} {self.text('wild')}")
        return {
            "route": self.route(event["route"]),
            "points": self.count("n_points", self.match["scores"][length]),
            "cards": ", ".join(paid),
        }

    def winners(self, values: Any) -> str:
        best = [seat for seat in range(len(self.match["seats"])) if values[f"y{seat}"] == 1]
        points = self.count("n_points", values[f"s{best[0]}"])
        if len(best) == 1:
            return self.fill("places", {"bot": self.bot(best[0]), "points": points})
        bots = ", ".join(map(self.bot, best))
        return self.fill("places_shared", {"bots": bots, "points": points})
