"""The course of a recorded match: every position, the decision made there, and chance events."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from damrak_engine import events
from damrak_engine.events import Decision
from damrak_engine.replay import Replay
from damrak_engine.state import State
from damrak_engine.verify import action_of, fold


@dataclass(frozen=True, slots=True)
class Step:
    """A position and what followed: a decision, a player leaving, or nothing at the end."""

    moment: int  # the number of the latest event before the position
    state: State  # must not be changed
    decision: Decision | None = None
    action: int = -1
    at: int = -1  # the moment of the decision
    was_chance: bool = False  # whether chance had a part in what followed


def course_of(replay: Replay) -> list[Step]:
    """Return all positions, from the one after the deal to the end.

    Raises:
        ReplayError: the replay is not valid.
    """
    positions = [(count, state.copy()) for count, state in fold(replay)]
    steps = []
    for (count, state), (following, _) in itertools.pairwise(positions):
        happened = replay.events[count:following]
        decision, action, at = None, -1, -1
        for number, event in enumerate(happened):
            if isinstance(event, Decision):
                decision, action, at = event, action_of(event, state), count + number
        steps.append(Step(count - 1, state, decision, action, at, _had_chance(happened, state)))
    count, state = positions[-1]
    steps.append(Step(count - 1, state))
    return steps


def _had_chance(happened: tuple[events.Event, ...], state: State) -> bool:
    for event in happened:
        if isinstance(event, events.Blind | events.Refill):
            return True
        if isinstance(event, events.Offer) and state.undrawn:
            return True
    return False
