"""Board generator: original, planar, readable and healthy boards from a seed."""

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
