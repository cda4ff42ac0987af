"""Formats of tournaments: pure functions from rules, entrants and results to pairings and tables.

Nothing here reads a clock, a database or a random number that is not drawn from a given seed.
"""

from damrak_ladder.tournaments.formats.brackets import dependent_slots
from damrak_ladder.tournaments.formats.knockouts import Decision, bracket, decide
from damrak_ladder.tournaments.formats.leagues import (
    LeagueRules,
    Move,
    NextSeason,
    PlayOff,
    balanced_sizes,
    chance_stronger,
    next_divisions,
    play_offs,
)
from damrak_ladder.tournaments.formats.pairing import pair_round, unavoidable
from damrak_ladder.tournaments.formats.plans import plan, round_count
from damrak_ladder.tournaments.formats.results import (
    GameResult,
    bye,
    needs_sudden_death,
    ruling,
    score_pairing,
)
from damrak_ladder.tournaments.formats.rules import (
    FORMATS,
    KNOCKOUTS,
    POINTS,
    PREFERENCES,
    TIE_BREAKS,
    StageRules,
)
from damrak_ladder.tournaments.formats.seeds import SEEDINGS, advance, seed_entrants
from damrak_ladder.tournaments.formats.standings import standings
from damrak_ladder.tournaments.formats.values import (
    Entrant,
    FormatError,
    Pairing,
    PairingResult,
    Plan,
    PlannedRound,
    Round,
    RoundPairing,
    Row,
    RulesError,
    Slot,
    Source,
    Value,
)

__all__ = [
    "FORMATS",
    "KNOCKOUTS",
    "POINTS",
    "PREFERENCES",
    "SEEDINGS",
    "TIE_BREAKS",
    "Decision",
    "Entrant",
    "FormatError",
    "GameResult",
    "LeagueRules",
    "Move",
    "NextSeason",
    "Pairing",
    "PairingResult",
    "Plan",
    "PlannedRound",
    "PlayOff",
    "Round",
    "RoundPairing",
    "Row",
    "RulesError",
    "Slot",
    "Source",
    "StageRules",
    "Value",
    "advance",
    "balanced_sizes",
    "bracket",
    "bye",
    "chance_stronger",
    "decide",
    "dependent_slots",
    "needs_sudden_death",
    "next_divisions",
    "pair_round",
    "plan",
    "play_offs",
    "round_count",
    "ruling",
    "score_pairing",
    "seed_entrants",
    "standings",
    "unavoidable",
]
