"""Invented names in the manner of 17th-century Dutch quays, locks, bridges and markets."""

from __future__ import annotations

from typing import Final

from damrak_engine.generator.draws import Draws


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Goods, beasts, crafts and weather, each in the form in which it begins a compound.
_FIRST: Final = _words(
    """Amandel Anijs Appel Azijn Balken Bever Bijen Boter Branders Breeuwers Dolfijn Duiven Eenden
    Egel Eiken Elzen Fakkel Fluiters Foelie Ganzen Garnaal Gember Gerst Glas Hagel Hamer Haver
    Hazen Hennep Honing Hooi Hop IJzer Ivoor Kaarsen Kabel Kaneel Kersen Ketel Kikker Klaver
    Klompen Knopen Koper Korven Krabben Kruiden Kuipers Laken Lantaarn Leem Linnen Lood Maan Manden
    Marters Mast Meeuwen Mosterd Mout Naalden Nevel Oester Otter Paling Parel Peper Peren Pluimen
    Potten Pruimen Raven Reiger Rogge Rook Saffraan Schelpen Schippers Sloep Snoek Spijker Sterren
    Tarwe Teer Tegel Tobbe Touw Turf Uilen Valken Vaten Veren Vijgen Vlas Vossen Walrus Wevers
    Wilgen Wind Wolken Zegel Zeilen Zwaluw"""
)
# Kinds of places; all take the article "de", so that an adjective before them ends in -e.
_LAST: Final = _words(
    """brug burcht dijk gracht hal haven kade kamer kraan markt molen poort schans sluis steeg
    steiger toren vaart vest vliet waag wal werf wijk"""
)
_HOW: Final = _words(
    """Blinde Bonte Diepe Gouden Groene Hoge Klamme Kromme Lange Luie Nauwe Natte Rode Ruige
    Scheve Schone Smalle Stille Vlugge Wijde Witte Zilte Zoete Zwarte"""
)
_TOWN: Final = _words(
    """Alser Drester Elver Grommer Halver Ilper Kalver Lisker Merver Nesker Orrer Quinter Render
    Sluyster Terwer Ulver Vesser Wolper Yser Zwiner"""
)
_KIND_OF_TOWN: Final = _words("dam diep drecht haven horn meer mond poort sluis stad waard")

MOST_LETTERS: Final = 15
ADJECTIVES_IN_TEN: Final = 3


def location_names(draws: Draws, count: int) -> list[str]:
    """Return this many names with distinct first parts and evenly used endings."""
    firsts = iter(draws.shuffled(_FIRST))
    hows = iter(draws.shuffled(_HOW))
    lasts: list[str] = []
    names: list[str] = []
    while len(names) < count:
        if not lasts:
            lasts = draws.shuffled(_LAST)
        last = lasts.pop()
        how = next(hows, None) if draws.below(10) < ADJECTIVES_IN_TEN else None
        name = f"{how} {last.capitalize()}" if how else next(firsts) + last
        if len(name) <= MOST_LETTERS:
            names.append(name)
    return names


def town_name(draws: Draws) -> str:
    """Return the name of an invented town."""
    return draws.pick(_TOWN) + draws.pick(_KIND_OF_TOWN)


def slug(name: str) -> str:
    """Return the name as an id: lower case, with hyphens."""
    return name.lower().replace(" ", "-")
