"""The next season of a league: its rules, its entrants, and who would play in which division."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Max

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.message_codes import season_codes
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.access import may_run
from damrak_ladder.tournaments.creation import Plan, create, rules_to_copy
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.divisions import league_stages, shape_of
from damrak_ladder.tournaments.entry import version_of
from damrak_ladder.tournaments.errors import NotAllowed, Refused
from damrak_ladder.tournaments.evidence import strengths, visible_games
from damrak_ladder.tournaments.formats import Move, chance_stronger
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.rules import parse_rules
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.placement import Outcome, moves_between, outcome_of

_LONGEST_SLUG: Final = 40


@dataclass(frozen=True, slots=True)
class Line:
    """A move of a bot; divisions count from 1. `chance`: that it is stronger than `instead_of`."""

    bot: Bot
    why: str
    was: int | None
    now: int | None
    instead_of: Bot | None = None
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """The next season as it would begin with the bots of the last one."""

    number: int
    divisions: Sequence[Sequence[Bot]]
    moves: Sequence[Line]
    leaving: Sequence[Bot]  # withdrawn, disqualified, or without a qualified version

    def as_json(self) -> dict[str, Any]:
        """Return the season as JSON, with the slugs of bots."""
        return {
            "number": self.number,
            "divisions": [[bot.slug for bot in division] for division in self.divisions],
            "moves": [
                {
                    "bot": one.bot.slug,
                    "why": one.why,
                    "was": one.was,
                    "now": one.now,
                    "instead_of": None if one.instead_of is None else one.instead_of.slug,
                    "chance_stronger": one.chance,
                }
                for one in self.moves
            ],
            "leaving": [bot.slug for bot in self.leaving],
        }


def outlook(last: Tournament) -> Outlook:
    """Return what the season after this one would be.

    Raises:
        Refused: it is not the last season of a league, or its results are not final and public.
    """
    outcome = _outcome(last)
    bots = _bots(last)
    staying = [pk for pk in bots if _continues(bots[pk])]
    placed = _staying(last, staying)
    divisions, moves = moves_between(outcome, placed, ())
    lines = _lines(last, moves, bots)
    gone = [bots[one.number] for one in moves if one.now is None]
    return Outlook(
        next_number(last.league_id), [[bots[bot] for bot in one] for one in divisions], lines, gone
    )


def begin_next_season(
    last: Tournament, user: User, slug: str, name: str, now: datetime
) -> Tournament:
    """Create the season after this one, with its rules and its bots, and open its entries.

    Divisions follow from the results when the season starts, from the bots that take part then.

    Raises:
        BadTournament: the name or address is not valid.
        NotAllowed: the user does not run the last season.
        Refused: it is not the last season of a league, or its results are not final and public.
    """
    if not may_run(user, last):
        raise NotAllowed(season_codes.OrganisersOfSeason())
    found = outlook(last)
    plan = Plan(slug, name, _rules(last, found), last.summary, last.league, found.number)
    return _begun(last, found, plan, user, now)


def begin_due_season(last: Tournament, now: datetime) -> Tournament:
    """Create the season after this one as its schedule states, and open its entries.

    Entries close, and the season starts, as long after now as the schedule waits between seasons.

    Raises:
        BadTournament, Refused
    """
    found = outlook(last)
    rules = _rules(last, found)
    starts = now + timedelta(hours=rules["schedule"]["next_season_h"] or 0)
    rules["schedule"] |= {"closes": starts.isoformat(), "starts": starts.isoformat()}
    names = names_of_next(last, found.number)
    slug = _free_slug(names["slug"])
    plan = Plan(slug, names["name"], rules, last.summary, last.league, found.number)
    return _begun(last, found, plan, None, now)


def names_of_next(last: Tournament, number: int) -> dict[str, str]:
    """Return the name and the address of the last season with the next number in them."""
    return {
        name: (
            re.sub(rf"\b{last.season}\b(?!.*\b{last.season}\b)", str(number), text)
            if re.search(rf"\b{last.season}\b", text)
            else f"{text}{joint}{number}"
        )
        for name, text, joint in (("name", last.name, " "), ("slug", last.slug, "-"))
    }


def next_number(league: int | None) -> int:
    """Return the number of the next season of a league; cancelled seasons have none."""
    rows = Tournament.objects.filter(league=league).exclude(phase=Phase.CANCELLED)
    return 1 + int(rows.aggregate(last=Max("season"))["last"] or 0)


def _free_slug(slug: str) -> str:
    """Return this address, or one with a number if another tournament has it."""
    begun = slug[:_LONGEST_SLUG].rstrip("-")
    names = (begun, *(f"{begun[: _LONGEST_SLUG - 4].rstrip('-')}-{at}" for at in range(2, 1000)))
    taken = set(Tournament.objects.filter(slug__in=names).values_list("slug", flat=True))
    return next(name for name in names if name not in taken)


def _begun(
    last: Tournament, found: Outlook, plan: Plan, actor: User | None, now: datetime
) -> Tournament:
    guests = [
        one.bot_id for one in last.entrants.filter(is_guest=True, standing="in").order_by("number")
    ]
    with transaction.atomic():
        made = create(actor or last.owner, plan, now, is_platform=actor is None)
        desk.perform(made, desk.Request(Kind.OPEN, {}, actor=actor), now)
        for bot in (bot for division in found.divisions for bot in division):
            payload = {"slug": bot.slug, "beyond_places": True}
            desk.perform(made, desk.Request(Kind.ENTER, payload, actor=actor), now)
        for bot in Bot.objects.filter(pk__in=guests).order_by("pk"):
            payload = {"slug": bot.slug, "guest": True, "beyond_places": True}
            desk.perform(made, desk.Request(Kind.ENTER, payload, actor=actor), now)
    return made


def _outcome(last: Tournament) -> Outcome:
    if last.league is None or last.season is None:
        raise Refused(season_codes.NotASeason(last.name))
    if last.season + 1 != next_number(last.league_id):
        raise Refused(season_codes.LaterSeason(), season_codes.BeginFromLatest())
    try:
        return outcome_of(last)
    except NotPossible as problem:
        raise Refused(problem.message, problem.cure) from None


def _bots(last: Tournament) -> dict[int, Bot]:
    rows = Bot.objects.filter(entrants__tournament=last, entrants__is_guest=False)
    return {bot.pk: bot for bot in rows.select_related("live").order_by("pk")}


def _continues(bot: Bot) -> bool:
    return version_of(bot) is not None


def _staying(last: Tournament, bots: Sequence[int]) -> list[int]:
    """Return those of the bots that took part to the end."""
    state = journal.state_of(last)
    present = {one.bot for one in state.entrants.values() if state.is_in(one.number)}
    return [bot for bot in bots if bot in present]


def _rules(last: Tournament, found: Outlook) -> dict[str, Any]:
    """Return the rules of the last season with as many divisions as the next one needs."""
    rules = rules_to_copy(last) | {"seeding": "season"}
    shape = shape_of(parse_rules(rules))
    sizes = [len(division) for division in found.divisions]
    if shape is not None and len(sizes) > 1:
        rules["stages"] = league_stages(rules["stages"][0], sizes, shape.rules)
    entry = dict(rules["entry"])
    rules["entry"] = entry | {"most": max(entry["most"], sum(sizes))}
    return rules


def _lines(last: Tournament, moves: Sequence[Move], bots: dict[int, Bot]) -> list[Line]:
    known = strengths(visible_games(last, disclosed(last, None)))
    down = [one for one in moves if one.was is not None and (one.now or 0) > one.was]
    found = []
    for move in sorted(moves, key=lambda one: (one.now is None, one.now or 0, one.was or 0)):
        if move.was == move.now or move.was is None:
            continue
        line = Line(
            bots[move.number], move.why, move.was + 1, None if move.now is None else move.now + 1
        )
        fallen = next((one for one in down if (one.was, one.now) == (move.now, move.was)), None)
        if move.now is not None and move.now < move.was and fallen is not None:
            down.remove(fallen)
            line = _compared(line, bots[fallen.number], known)
        found.append(line)
    return found


def _compared(line: Line, fallen: Bot, known: Any) -> Line:
    chance = None
    if line.bot.pk in known and fallen.pk in known:
        one, other = known[line.bot.pk], known[fallen.pk]
        chance = chance_stronger((one.elo, one.error), (other.elo, other.error))
    return Line(line.bot, line.why, line.was, line.now, fallen, chance)
