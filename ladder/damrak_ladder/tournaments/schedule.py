"""The schedule of a tournament: the next time at which it advances without an act."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from damrak_ladder.tournaments.log.state import PlannedRelease, Round, State
from damrak_ladder.tournaments.log.values import Phase


def next_due(state: State, now: datetime) -> datetime | None:
    """Return the time of the next scheduled change of phase, or release; None if there is none."""
    schedule = state.rules.schedule
    match state.phase:
        case Phase.DRAFT:
            return schedule.opens
        case Phase.OPEN:
            return schedule.closes
        case Phase.CLOSED:
            return schedule.starts
        case _:
            times = [plan.at for _, plan in planned_releases(state)]
            return min([*times, *filter(None, [season_due(state)])], default=None)


def season_due(state: State) -> datetime | None:
    """Return the time at which the next season of the league begins; None without a schedule."""
    hours = state.rules.schedule.next_season_h
    if state.phase not in (Phase.OVER, Phase.FINAL) or hours is None or state.finished is None:
        return None
    return state.finished + timedelta(hours=hours)


def planned_releases(state: State) -> list[tuple[Round, PlannedRelease]]:
    """Return the planned releases of rounds that are paired."""
    return [
        (made, state.planned[made.key.stage, made.key.number])
        for made in state.rounds()
        if (made.key.stage, made.key.number) in state.planned
    ]


def round_due(state: State) -> datetime | None:
    """Return the earliest time of the next round; None if it may begin at once.

    With one round a day, it is the given local time on the day after the previous round was paired,
    by the calendar of the organiser's time zone, so that changes of the clock shift nothing.
    """
    daily = state.rules.schedule.daily
    paired = [made.at for made in state.rounds() if made.at is not None]
    if daily is None or not paired:
        return None
    zone = ZoneInfo(state.rules.schedule.zone)
    day = max(paired).astimezone(zone).date() + timedelta(days=1)
    return datetime.combine(day, daily, zone)
