"""Run with `python -m unittest` in this folder."""

import unittest
from pathlib import Path

from damrak.loading import parse_spec
from damrak.series import SeriesPlan, play_series
from damrak.standing import Standing

BOT = Path(__file__).parent / "bot.py"


class TestMyBot(unittest.TestCase):
    """What must hold whatever the bot becomes."""

    def test_beats_random(self) -> None:
        plan = SeriesPlan(bots=(parse_spec(str(BOT)), parse_spec("random")), blocks=20)
        standing = Standing(plan.names)
        for block in play_series(plan):
            standing.add(block)
        assert standing.failures == []
        assert standing.score(0) > 0.6
