"""Run `python -m unittest` in this folder."""

import unittest
from pathlib import Path

from damrak import Bot
from damrak.bots import house_bot
from damrak.specs import make_bot, parse_spec
from damrak.testing import assert_bot_survives, play_match

HERE = parse_spec(str(Path(__file__).parent))


def my_bot() -> Bot:
    """Return a new instance of the bot in this folder."""
    return make_bot(HERE)


class TestMyBot(unittest.TestCase):
    """Requirements for every version of the bot."""

    def test_survives(self) -> None:
        assert_bot_survives(my_bot)

    def test_beats_random(self) -> None:
        results = [play_match([my_bot(), house_bot("random")], seed=seed) for seed in range(40)]
        wins = sum(result.winners == (0,) for result in results)
        assert wins > 24, f"{wins} wins in 40 matches"
