"""Run `python -m unittest` in this folder."""

import unittest
from pathlib import Path

from damrak import Bot
from damrak.bots import house_bot
from damrak.specs import make_bot, parse_spec
from damrak.testing import assert_bot_survives, play_match

HERE = parse_spec(str(Path(__file__).parent))


def my_bot() -> Bot:
    """Return a new instance of the bot, which thinks for a short time so that tests are fast."""
    bot = make_bot(HERE)
    vars(bot)["milliseconds"] = 2
    return bot


class TestMyBot(unittest.TestCase):
    """Requirements for every version of the bot."""

    def test_survives(self) -> None:
        assert_bot_survives(my_bot, games=1)

    def test_beats_random(self) -> None:
        results = [play_match([my_bot(), house_bot("random")], seed=seed) for seed in range(10)]
        wins = sum(result.winners == (0,) for result in results)
        assert wins > 6, f"{wins} wins in 10 matches"
