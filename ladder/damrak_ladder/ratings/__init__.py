"""Strengths and their uncertainty, fitted to all blocks of a ladder."""

from damrak_ladder.ratings.bands import Bands, bands
from damrak_ladder.ratings.first import first_probability
from damrak_ladder.ratings.history import Block, Game, History, Tables
from damrak_ladder.ratings.model import Scale
from damrak_ladder.ratings.online import Online
from damrak_ladder.ratings.posterior import Posterior, posterior
from damrak_ladder.ratings.rating import Ratings, rate, rate_by_seats, strengths

__all__ = [
    "Bands",
    "Block",
    "Game",
    "History",
    "Online",
    "Posterior",
    "Ratings",
    "Scale",
    "Tables",
    "bands",
    "first_probability",
    "posterior",
    "rate",
    "rate_by_seats",
    "strengths",
]
