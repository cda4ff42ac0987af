"""The log of a person's seat: its questions and answers, in the form of logs of bots."""

from __future__ import annotations

import json

from damrak_engine.bundle import Failed, Limited, Situation, bundle_json
from damrak_engine.replay import parse_replay
from damrak_engine.seat_history import history_of
from damrak_ladder.matches.models import Match
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.pipeline.outcome.bundles import FINISH_SECONDS, START_SECONDS, step_of
from damrak_ladder.replays.storage import load

ENTRY = "bot.py"


def log_of(match: Match, seat: int) -> bytes:
    """Return the decisions of a seat as a `damrak-repro/1` file without a fault.

    `damrak repro FILE --bot PLACE` asks a bot the same questions, and compares its answers.

    Raises:
        ReplayStoreError: the replay cannot be read.
        ReplayError: it cannot be played again.
    """
    control = control_of(match.block.control)
    history = history_of(parse_replay(load(match.replay)), seat, control)
    guest = Failed(ENTRY, "guest", "1", None, False, None, "", "", "", "")
    limits = Limited(None, START_SECONDS, FINISH_SECONDS)
    bundle = bundle_json(
        guest,
        Situation(history.rules, seat, control, history.chance, limits),
        [step_of(asked) for asked in history.asked],
    )
    return json.dumps(bundle, indent=1).encode() + b"\n"
