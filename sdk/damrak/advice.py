"""What a house bot would do at the last question of a bundle, for programs that ask.

    python -m damrak.advice mcts:iterations=200 < bundle.json

The bundle has the form `damrak-repro/1`, and its last step is the question. Prints an object such
as `{"action": 17}`. The process lowers its own priority, because an advice can wait.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final

from damrak.bots import HOUSE_BOTS
from damrak.bundle import Bundle, bundle_from_json
from damrak.errors import BotNotFound
from damrak.hosting.driver import Driver, SeatPlan
from damrak.hosting.faults import Chosen
from damrak.specs import parse_spec

NICENESS: Final = 15


def advice(bundle: Bundle, bot: str) -> int:
    """Return the action that this house bot chooses at the last question of a bundle.

    Raises:
        BotNotFound: this is no house bot.
    """
    if bot.partition(":")[0] not in HOUSE_BOTS:
        raise BotNotFound(bot, "it is no house bot")
    plan = SeatPlan(parse_spec(bot), bundle.plan.seat, bundle.plan.control, bundle.plan.chance)
    answer = Driver(plan, bundle.rules).choose(bundle.steps[-1].question)
    assert isinstance(answer, Chosen)  # house bots only return legal actions
    return answer.action


def main() -> None:
    """Answer one question."""
    os.nice(NICENESS)
    action = advice(bundle_from_json(json.load(sys.stdin)), sys.argv[1])
    sys.stdout.write(json.dumps({"action": action}))


if __name__ == "__main__":
    main()
