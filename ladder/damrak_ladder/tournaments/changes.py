"""The changes that an act makes: the difference between two states, for previews."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Avg, F

from damrak_ladder.matches.models import Attempt, BlockState, Outcome
from damrak_ladder.tournaments.log.acts import Act
from damrak_ladder.tournaments.log.course import Course, Verdict
from damrak_ladder.tournaments.log.rules import changed_fields
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.log.values import PairingKey, Release
from damrak_ladder.tournaments.models import PairingBlock, Tournament
from damrak_ladder.tournaments.records import keyed, wanted_blocks

At = tuple[State, Course]


def changes(tournament: Tournament, before: At, after: At, act: Act) -> dict[str, Any]:
    """Return what differs after an act, as JSON. Parts without a change are left out."""
    old, new = before[0], after[0]
    found: dict[str, Any] = {}
    for name in ("phase", "stops_after_round", "games_a_minute"):
        if getattr(old, name) != getattr(new, name):
            found[name] = {"before": getattr(old, name), "after": getattr(new, name)}
    if old.name != new.name:
        former = old.name or tournament.name
        found["name"] = {"before": former, "after": new.name or old.first_name}
    if old.planned != new.planned:
        found["planned"] = _planned(old, new)
    if rules := changed_fields(old.rules, new.rules):
        found["rules"] = {name: {"before": a, "after": b} for name, (a, b) in rules.items()}
    if entrants := _entrants(old, new):
        found["entrants"] = entrants
    found |= _pairings(before, after)
    if releases := _releases(old, new):
        found["releases"] = releases
    if table := _standings(before, after):
        found["standings"] = table
    if old.stages:
        found |= _blocks(tournament, before, after)
    return found


def _planned(old: State, new: State) -> list[dict[str, Any]]:
    said = []
    for at in sorted(old.planned.keys() | new.planned.keys()):
        if (was := old.planned.get(at)) != (now := new.planned.get(at)):
            sides = {
                name: None
                if plan is None
                else {"level": str(plan.level), "at": plan.at.isoformat()}
                for name, plan in (("before", was), ("after", now))
            }
            said.append({"stage": at[0], "round": at[1], **sides})
    return said


def _entrants(old: State, new: State) -> list[dict[str, Any]]:
    found = []
    for number in sorted(old.entrants.keys() | new.entrants.keys()):
        was, now = old.entrants.get(number), new.entrants.get(number)
        if was != now:
            found.append(
                {
                    "entrant": number,
                    "before": None if was is None else str(was.standing),
                    "after": None if now is None else str(now.standing),
                    "version": None if now is None else now.version,
                    "seed": None if now is None else now.seed,
                }
            )
    return found


def _pairings(before: At, after: At) -> dict[str, Any]:
    old = {pairing.key: pairing for _, pairing in before[0].pairings()}
    new = {pairing.key: pairing for _, pairing in after[0].pairings()}
    found: dict[str, Any] = {}
    for name, keys, of in (
        ("pairings_removed", old.keys() - new.keys(), old),
        ("pairings_added", new.keys() - old.keys(), new),
    ):
        if keys:
            found[name] = [
                {**_place(key), "entrants": list(of[key].entrants)} for key in sorted(keys)
            ]
    verdicts = [_by_key(before[1]), _by_key(after[1])]
    changed = [
        {**_place(key), "before": _result(verdicts[0][key]), "after": _result(verdicts[1][key])}
        for key in sorted(verdicts[0].keys() & verdicts[1].keys())
        if _result(verdicts[0][key]) != _result(verdicts[1][key])
    ]
    if changed:
        found["results"] = changed
    return found


def _place(key: PairingKey) -> dict[str, int]:
    return {"stage": key.stage, "round": key.round, "table": key.table}


def _by_key(course: Course) -> dict[PairingKey, Verdict]:
    return {one.pairing.key: one for verdicts in course.verdicts.values() for one in verdicts}


def _result(verdict: Verdict) -> dict[str, Any]:
    points = None
    if verdict.result is not None:
        points = [str(one) for one in verdict.result.points]
    return {"how": verdict.how, "points": points}


def _releases(old: State, new: State) -> list[dict[str, Any]]:
    found = []
    for made, pairing in new.pairings():
        former = old.round(made.key)
        if former is None:
            continue
        was, now = former.release_of(pairing.key.table), made.release_of(pairing.key.table)
        if was is not now:
            found.append({**_place(pairing.key), "before": str(was), "after": str(now)})
    return found


def _standings(before: At, after: At) -> list[dict[str, Any]]:
    found = []
    for number in sorted(before[0].stages.keys() & after[0].stages.keys()):
        tables = [
            {
                row.number: (row.place, str(row.points))
                for row in table_of(state, course, state.stages[number])
            }
            for state, course in (before, after)
        ]
        for entrant in sorted(tables[0].keys() & tables[1].keys()):
            was, now = tables[0][entrant], tables[1][entrant]
            if was != now:
                found.append(
                    {
                        "stage": number,
                        "entrant": entrant,
                        "place": {"before": was[0], "after": now[0]},
                        "points": {"before": was[1], "after": now[1]},
                    }
                )
    return found


def _blocks(tournament: Tournament, before: At, after: At) -> dict[str, Any]:
    """Return the blocks that stop counting, the games lost, and the results that were public."""
    rows = PairingBlock.objects.filter(tournament=tournament)
    wanted = wanted_blocks(*after)
    counts: Counter[str] = Counter()
    lost, public = 0, set()
    for row, key in keyed(rows):
        stays = after[0].counts(key) or key in wanted
        if stays or not before[0].counts(key):
            continue
        state = row.block.state
        counts[_FATES[BlockState(state)]] += 1
        if state == BlockState.RECORDED:
            lost += row.block.rotations * _seats(before[0], key.pairing)
            if row.pairing.release == Release.PUBLIC:
                public.add((key.stage, key.round, key.table))
    if not counts:
        return {}
    found: dict[str, Any] = {"blocks": dict(counts), "games_lost": lost}
    if public:
        names = ("stage", "round", "table")
        found["was_public"] = [dict(zip(names, one, strict=True)) for one in sorted(public)]
    found["minutes"] = round(sum(counts.values()) * _block_seconds(tournament) / 60, 1)
    return found


_FATES = {
    BlockState.WAITING: "struck",
    BlockState.RUNNING: "abandoned",
    BlockState.RECORDED: "superseded",
    BlockState.DEAD: "dropped",
}


def _seats(state: State, origin: PairingKey) -> int:
    return next(len(one.entrants) for _, one in state.pairings() if one.origin == origin)


def _block_seconds(tournament: Tournament) -> float:
    """Return the mean duration of this tournament's latest blocks."""
    played = Attempt.objects.filter(
        block__pairing_block__tournament=tournament,
        outcome=Outcome.RECORDED,
    )
    latest = played.order_by("-pk").values("pk")[:32]
    took = Attempt.objects.filter(pk__in=list(latest.values_list("pk", flat=True)))
    mean = took.aggregate(mean=Avg(F("ended") - F("started")))["mean"]
    return 0.0 if mean is None else float(mean.total_seconds())
