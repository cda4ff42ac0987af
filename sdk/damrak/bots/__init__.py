"""The house bots: opponents of known strength, and examples to read.

A spec names a bot: `greedy`, or `mcts:ms=100` with parameters, which are whole numbers.
"""

from __future__ import annotations

import inspect
from typing import Final

from damrak.bot import Bot
from damrak.bots.greedy import GreedyBot
from damrak.bots.mcts import MctsBot
from damrak.bots.planner import PlannerBot
from damrak.bots.random_ import RandomBot

HOUSE_BOTS: Final[dict[str, type[Bot]]] = {
    bot.name: bot for bot in (RandomBot, GreedyBot, PlannerBot, MctsBot)
}
"""The house bots by name, weakest first."""


def house_bot(spec: str) -> Bot:
    """Return a new instance of the house bot that a spec names.

    Raises:
        ValueError: there is no such bot, parameter or value; the message is one line for the user.
    """
    name, _, given = spec.partition(":")
    if name not in HOUSE_BOTS:
        raise ValueError(f"no house bot {name!r}; there are: {', '.join(HOUSE_BOTS)}")
    bot = HOUSE_BOTS[name]
    known = parameters(bot)
    values: dict[str, int] = {}
    for item in given.split(",") if given else []:
        key, _, text = item.partition("=")
        if key not in known:
            there = f"it takes: {', '.join(known)}" if known else "it takes none"
            raise ValueError(f"{name} has no parameter {key!r}; {there}")
        if not (text.isascii() and text.isdigit()):
            raise ValueError(f"{name}: {key} must be a whole number, not {text!r}")
        values[key] = int(text)
    made = bot(**values)
    made.name = spec
    return made


def parameters(bot: type[Bot]) -> dict[str, int]:
    """Return the parameters of a house bot's spec with their defaults."""
    if bot.__init__ is object.__init__:
        return {}
    return {
        name: parameter.default
        for name, parameter in inspect.signature(bot).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
