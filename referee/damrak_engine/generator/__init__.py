"""New boards from a seed: original, planar, readable, and healthy to play on."""

from damrak_engine.generator.board import LOCATIONS, generate
from damrak_engine.generator.design import claimable_goods, design_flaws
from damrak_engine.generator.health import Health, TableHealth, health

__all__ = [
    "LOCATIONS",
    "Health",
    "TableHealth",
    "claimable_goods",
    "design_flaws",
    "generate",
    "health",
]
