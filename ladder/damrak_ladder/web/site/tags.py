"""Template tags and filters for numbers, times, states and intervals, the same on every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from damrak_ladder.bots.house import PREFIX
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Ladder, Purpose
from damrak_ladder.matches.standard_summaries import summary_of
from damrak_ladder.message_codes.catalogue.labels import fault_name
from damrak_ladder.message_codes.wording import text_or_empty
from damrak_ladder.notices import inbox
from damrak_ladder.standings.read.rating_history import Point
from damrak_ladder.time_ordered_ids import short_form
from damrak_ladder.web.site import fragments
from damrak_ladder.web.site.links import address
from damrak_ladder.web.site.players import Player, guest_name
from damrak_ladder.web.site.state_texts import (
    BLAMES,
    CANARIES,
    KINDS,
    OUTCOMES,
    PURPOSES,
    STATES,
    STEPS,
    TRIALS,
    WAITS,
)

register = template.Library()
register.filter("breakable", fragments.breakable)
register.filter("short_id", short_form)

POINTS: Final = 12
"""The number of points of each curve in the table under a chart."""


@register.filter
def elo(value: float | None) -> str:
    """Format a rating."""
    return fragments.NOTHING if value is None else fragments.minus(round(value))


@register.filter
def signed(value: float) -> str:
    """Format a number, always with its sign."""
    sign = "+" if value > 0 else fragments.MINUS if value < 0 else "±"
    return sign + str(abs(round(value)))


@register.filter
def minus(value: int) -> str:
    """Format a number of points, with a true minus sign if it is negative."""
    return fragments.minus(value)


@register.filter
def percent(value: float | None) -> str:
    """Format a probability in per cent; almost 0 or 1 becomes "< 1" or "> 99"."""
    if value is None:
        return fragments.NOTHING
    if 0 < value < 0.005:
        return "< " + fragments.percent("1")
    if 0.995 < value < 1:
        return "> " + fragments.percent("99")
    return fragments.percent(str(round(100 * value)))


@register.filter
def hundredths(value: float) -> str:
    """Format a share as a number from 0 to 100, for places too narrow for the per cent sign."""
    return str(round(100 * value))


@register.filter
def signed_hundredths(value: float) -> str:
    """Format a difference of shares in percentage points, with its sign."""
    return signed(100 * value)


@register.filter
def tenths(value: float | None) -> str:
    """Format a number with one decimal."""
    if value is None:
        return fragments.NOTHING
    return number_format(round(value, 1), 1).replace("-", fragments.MINUS)


@register.filter
def signed_tenths(value: float) -> str:
    """Format a number with one decimal, always with its sign."""
    shown = round(abs(value), 1)
    sign = "±" if not shown else "+" if value > 0 else fragments.MINUS
    return sign + number_format(shown, 1)


@register.filter
def halves(value: float) -> str:
    """Format a number of wins, which has a decimal if a first place was shared."""
    return number_format(round(value, 1), 0 if value == int(value) else 1)


@register.filter
def many(value: int) -> str:
    """Format a count, with digit grouping from 1000."""
    return str(value) if value < 1000 else number_format(value, force_grouping=True)


@register.filter
def kind_name(kind: str) -> str:
    """Return the kind of a version in words."""
    return str(KINDS.get(Kind(kind), kind))


@register.filter
def purpose_name(purpose: str) -> str:
    """Return the purpose of a block in words."""
    return str(PURPOSES.get(Purpose(purpose), purpose))


@register.filter
def outcome_name(outcome: str) -> str:
    """Return how an attempt ended, in words."""
    return str(OUTCOMES.get(outcome, outcome))  # type: ignore[call-overload]


@register.filter
def waits_for(reason: str) -> str:
    """Return why a block waits, in words."""
    return str(WAITS.get(reason, reason))


@register.simple_tag
def flow_name(flow: str, ladders: Mapping[str, str]) -> str:
    """Return the name of a queue's flow; known ladders are named by their titles."""
    kind, _colon, slug = flow.partition(":")
    if kind == "ladder":
        return gettext("the ladder %(name)s") % {"name": ladders.get(slug, slug)}
    if kind == "owner":
        return gettext("tests and canaries of one author")
    if kind == "burst":
        return gettext("the first blocks of tests")
    named = {"people": gettext("games of people"), "qualification": gettext("qualifications")}
    return named.get(kind, flow)


@register.filter
def bot_name(slug: str, name: str = "") -> str:
    """Return the displayed name of a bot: the readable name of a house bot, or else the slug."""
    if not name or not slug.startswith(PREFIX):
        return slug
    if guest := guest_name(slug):
        return guest
    base, *given = name.split(", ")
    return ", ".join([base, *map(_parameter, given)])


def _parameter(given: str) -> str:
    """Return a part of "mcts, 50 iterations" in the reader's language; times stay unchanged."""
    number, _space, unit = given.partition(" ")
    if unit != "iterations" or not number.isdecimal():
        return given
    words = ngettext("%(count)s iteration", "%(count)s iterations", int(number))
    return words % {"count": number_format(int(number))}


@register.filter
def called(shown: Version | Player) -> str:
    """Return the name of a version as plain text."""
    return f"{bot_name(shown.bot.slug, shown.bot.name)} v{shown.number}"


register.filter("words", text_or_empty)
register.filter("summary", summary_of)
register.filter("fault_name", fault_name)


@register.filter
def blame_name(owner: str) -> str:
    """Return who was to blame, in words."""
    return str(BLAMES.get(owner, owner))


@register.simple_tag
def comparison(
    first: Version | Player, second: Version | Player, ladder: Ladder | None = None
) -> str:
    """Return the address of the comparison of two versions."""
    asked = {"a": f"{first.bot.slug}:{first.number}", "b": f"{second.bot.slug}:{second.number}"}
    if ladder is not None:
        asked["ladder"] = ladder.slug
    return f"{address('web:compare')}?{urlencode(asked)}"


@register.filter
def duration(seconds: float) -> str:
    """Format a duration in seconds, in the unit that people would use."""
    if seconds < 90:
        return gettext("%(count)s s") % {"count": number_format(round(seconds))}
    if seconds < 5400:
        return gettext("%(count)s min") % {"count": number_format(round(seconds / 60))}
    return gettext("%(count)s h") % {"count": number_format(round(seconds / 3600))}


@register.filter
def microseconds(value: int) -> str:
    """Format a duration in microseconds, in the unit that people would use."""
    if value < 1000:
        return f"{number_format(value)} µs"
    if value < 1_000_000:
        return f"{number_format(round(value / 1000, 1), 1)} ms"
    return f"{number_format(round(value / 1_000_000, 2), 2)} s"


@register.filter
def plain(value: float) -> str:
    """Format a number for drawings, independently of the language."""
    return f"{value:g}"


@register.filter
def whole(value: float) -> int:
    """Return an integral number without its decimals."""
    return round(value)


@register.filter
def is_local(request: HttpRequest) -> bool:
    """Return whether the host name of the request is one of this machine only."""
    host = request.get_host().rpartition(":")[0] or request.get_host()
    return host in {"localhost", "127.0.0.1", "[::1]"}


@register.filter
def step_name(kind: str) -> str:
    """Return a step of a version's journey in words."""
    return str(STEPS.get(kind, kind))


@register.filter
def item(rows: Any, place: int) -> Any:
    """Return an item of a list by its index from 0."""
    return rows[place]


@register.simple_tag
def state(value: str) -> SafeString:
    """Return the state of a version, block or host as a tag."""
    return fragments.tag(*STATES.get(value, (value, "")))


@register.simple_tag
def trial_state(value: str) -> SafeString:
    """Return the state of a test as a tag."""
    return fragments.tag(*TRIALS.get(value, (value, "")))


@register.filter
def canary_state(value: str) -> str:
    """Return the state of a canary in words."""
    return str(CANARIES.get(value, value))


@register.simple_tag
def when(at: datetime | None) -> SafeString:
    """Return how long ago this was, with the exact time as a tooltip."""
    return fragments.moment(at)


@register.simple_tag
def version(shown: Version | Player, number: bool = True) -> SafeString:
    """Return the name of a version as a link."""
    bot = shown.bot
    return fragments.link(bot.slug, bot_name(bot.slug, bot.name), shown.number if number else None)


@register.simple_tag
def interval(low: float, value: float, high: float, floor: float, ceiling: float) -> SafeString:
    """Return a rating and its interval as a bar on a scale from `floor` to `ceiling`."""
    return fragments.bar(low, value, high, floor, ceiling)


@register.simple_tag
def course(name: str, where: str, points: Sequence[Point]) -> SafeString:
    """Return the latest points of a curve as table rows, the newest first."""
    return fragments.rows_of_points(name, where, points[: -POINTS - 1 : -1])


@register.simple_tag(name="address")
def address_tag(name: str, *values: str | int) -> str:
    """Return the address of a page, like `url`, but faster for pages with many links."""
    return address(name, *values)


@register.simple_tag(takes_context=True)
def ask(context: dict[str, Any], **changes: object) -> str:
    """Return the link to the same table with these changes to its parameters."""
    return str(context["asked"].link(**changes))


@register.simple_tag(takes_context=True)
def nav(context: dict[str, Any], name: str) -> str:
    """Return the opening tag of a main-menu link, marked on its page and the pages below."""
    link, path = address(name), context["request"].path
    if not path.startswith(link):
        return format_html('<a href="{}">', link)
    return format_html('<a href="{}" aria-current="{}">', link, "page" if path == link else "true")


@register.simple_tag(takes_context=True)
def unread(context: dict[str, Any]) -> int:
    """Return the number of unread notices of the logged-in user."""
    return inbox.unread(context["request"].user)
