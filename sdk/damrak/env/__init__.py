"""Environments for reinforcement learning: `pip install 'damrak[env]'`.

`vector` plays many games side by side, `aec_env` is the PettingZoo environment, `DamrakEnv` the
Gymnasium one, and `Encoder` makes arrays for custom training loops. Nothing is imported before one
of these names is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from damrak.env.aec import DamrakAEC, aec_env
    from damrak.env.encode import Encoder, encoder_for
    from damrak.env.gym import DamrakEnv, register
    from damrak.env.layout import LAYOUT, Part, observation_layout
    from damrak.env.rewards import REWARDS
    from damrak.env.vectorized.environment import DamrakVectorEnv, Finished, vector
    from damrak.env.vectorized.parallel import DamrakParallel
    from damrak.env.vectorized.puffer import DamrakPuffer
    from damrak.env.vectorized.simulation import rollouts, simulate

__all__ = [
    "LAYOUT",
    "REWARDS",
    "DamrakAEC",
    "DamrakEnv",
    "DamrakParallel",
    "DamrakPuffer",
    "DamrakVectorEnv",
    "Encoder",
    "Finished",
    "Part",
    "aec_env",
    "encoder_for",
    "observation_layout",
    "register",
    "rollouts",
    "simulate",
    "vector",
]

_HOME: Final = {
    "LAYOUT": "layout",
    "REWARDS": "rewards",
    "DamrakAEC": "aec",
    "DamrakEnv": "gym",
    "DamrakParallel": "vectorized.parallel",
    "DamrakPuffer": "vectorized.puffer",
    "DamrakVectorEnv": "vectorized.environment",
    "Encoder": "encode",
    "Finished": "vectorized.environment",
    "Part": "layout",
    "aec_env": "aec",
    "encoder_for": "encode",
    "observation_layout": "layout",
    "register": "gym",
    "rollouts": "vectorized.simulation",
    "simulate": "vectorized.simulation",
    "vector": "vectorized.environment",
}
_EXTRA: Final = ("gymnasium", "numpy", "pettingzoo")
_OTHERS: Final = ("pufferlib",)  # installed by those who use them


class MissingExtra(ImportError):
    """A package needed only by the environments is missing; the message says how to install it."""


def __getattr__(name: str) -> Any:
    """Import a public name with its dependencies on first access."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package in _OTHERS:
            problem = f"damrak.env.{name} needs {package}: pip install {package}"
            raise MissingExtra(problem, name=package) from missing
        if package not in _EXTRA:
            raise
        problem = f"damrak.env.{name} needs {package}: pip install 'damrak[env]'"
        raise MissingExtra(problem, name=package) from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
