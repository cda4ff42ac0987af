"""Template tags and filters for tournaments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from django import template
from django.utils.dateparse import parse_datetime
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments.formats import unavoidable
from damrak_ladder.tournaments.seasons import Move
from damrak_ladder.web.site import fragments
from damrak_ladder.web.site.tags import bot_name
from damrak_ladder.web.tournaments import texts

register = template.Library()


@register.simple_tag
def phase_tag(value: str) -> SafeString:
    """Return the phase of a tournament as a tag."""
    return fragments.tag(*texts.PHASES[value])


@register.simple_tag
def round_tag(value: str) -> SafeString:
    """Return the phase of a round as a tag."""
    return fragments.tag(*texts.ROUND_PHASES[value])


@register.simple_tag
def pairing_warnings(format_: str, cost: Mapping[str, Any]) -> list[str]:
    """Return what the pairing of a round could not avoid, in the reader's language."""
    return [text_of(one) for one in unavoidable(format_, cost)]


@register.simple_tag
def entrant_tag(value: str) -> SafeString:
    """Return whether an entrant takes part, as a tag."""
    return fragments.tag(*texts.STANDINGS[value])


@register.filter
def next_step(phase: str) -> str:
    """Return the sentence about what follows after this phase."""
    return str(texts.NEXT_STEPS[phase])


@register.filter
def format_name(value: str) -> str:
    """Return the name of a format."""
    return str(texts.FORMATS.get(value, value))


@register.filter
def criterion_name(value: str) -> str:
    """Return the name of a tie-break."""
    return str(texts.TIE_BREAKS.get(value, value))


@register.filter
def verdict_name(value: str) -> str:
    """Return how a pairing was decided; empty if it was played."""
    return str(texts.VERDICTS.get(value, ""))


@register.filter
def act_name(kind: str) -> str:
    """Return the name of an act."""
    return str(texts.ACTS.get(kind, kind))


@register.filter
def exact(value: str | Fraction | None) -> str:
    """Format an exact number such as "7/2" with up to three decimals, without trailing zeros."""
    if value is None:
        return fragments.NOTHING
    number = float(Fraction(value))
    places = next(at for at in range(4) if at == 3 or round(number, at) == number)
    # Rounded here, because Django cuts off the decimals that it does not show.
    return number_format(round(number, places), places).replace("-", fragments.MINUS)


@register.simple_tag
def entrant_link(entrant: dict[str, Any]) -> SafeString:
    """Return the name of an entrant of a document as a link to its bot."""
    slug, name = entrant["bot"], entrant["name"]
    return fragments.link(slug, bot_name(slug, name), None)


@register.filter
def name_among(slug: str, moves: Iterable[Move]) -> str:
    """Return the displayed name of a bot that is among these moves of a league."""
    return bot_name(slug, next((one.name for one in moves if one.bot == slug), ""))


@register.simple_tag
def moment(text: str | None) -> SafeString:
    """Return a time of a document in words, with the exact time as a tooltip."""
    return fragments.moment(parse_datetime(text) if text else None)


@register.filter
def stage_name(stage: dict[str, Any]) -> str:
    """Return the name of a stage, or its number if it has none."""
    if stage["name"]:
        return str(stage["name"])
    return gettext("Stage %(number)s") % {"number": stage["stage"] + 1}


@register.filter
def trf_name(stage: int) -> str:
    """Return the name of the TRF file of a stage."""
    return f"{stage}.trf"
