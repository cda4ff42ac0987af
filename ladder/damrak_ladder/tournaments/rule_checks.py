"""Checks of rules against what the installation can play: boards, rule options and clocks."""

from __future__ import annotations

from typing import Final

from damrak_engine.errors import OptionsError
from damrak_engine.options import parse_options
from damrak_ladder.matches.boards import DAILY, board_of, check_pool
from damrak_ladder.matches.errors import MatchError
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.message_codes import ladder_codes as codes
from damrak_ladder.tournaments.errors import BadTournament
from damrak_ladder.tournaments.log.errors import BadRules
from damrak_ladder.tournaments.log.rules import Rules, parse_rules

MOST_NAME: Final = 60
MOST_SUMMARY: Final = 300


def check_name(name: object) -> None:
    """Check the name of a tournament or league.

    Raises:
        BadTournament
    """
    if not isinstance(name, str) or not name.strip():
        raise BadTournament("name", codes.TextEmpty())
    if len(name) > MOST_NAME:
        raise BadTournament("name", codes.TextTooLong(MOST_NAME))
    if not name.isprintable():
        raise BadTournament("name", codes.TextUnprintable())


def check_summary(summary: str) -> None:
    """Check the summary of a tournament or league, which may be empty.

    Raises:
        BadTournament
    """
    if len(summary) > MOST_SUMMARY:
        raise BadTournament("summary", codes.TextTooLong(MOST_SUMMARY))
    if not summary.isprintable():
        raise BadTournament("summary", codes.TextUnprintable())


def checked_rules(given: object) -> Rules:
    """Return the rules in this JSON, if they can be played.

    Raises:
        BadTournament
    """
    try:
        rules = parse_rules(given)
    except BadRules as problem:
        raise BadTournament(problem.field, problem.problem) from None
    try:
        check_pool(list(rules.boards))
        parse_options(dict(rules.options))
        control_of(rules.control)
    except MatchError as problem:
        raise BadTournament("rules", problem.message) from None
    except OptionsError as problem:
        raise BadTournament("rules", codes.InvalidOptions(str(problem))) from None
    sizes = {stage.rules.players for stage in rules.stages}
    for name in rules.boards:
        if name.startswith(DAILY):
            continue  # these boards are for two to four players
        low, high = board_of(name).players
        if not (low <= min(sizes) and max(sizes) <= high):
            raise BadTournament("boards", codes.BoardPlayers(name, low, high))
    return rules
