"""Simulated tournaments of bots with known strengths: how often a format finds the best one."""

from damrak_ladder.tournaments.simulation.estimates import (
    MOST_ENTRANTS,
    RUNS,
    SPREAD,
    Estimate,
    affordable_runs,
    estimate,
    model_field,
    rated_field,
    usual_stages,
)
from damrak_ladder.tournaments.simulation.recommendation import Recommendation, recommend

__all__ = [
    "MOST_ENTRANTS",
    "RUNS",
    "SPREAD",
    "Estimate",
    "Recommendation",
    "affordable_runs",
    "estimate",
    "model_field",
    "rated_field",
    "recommend",
    "usual_stages",
]
