"""Environments for reinforcement learning: `pip install 'damrak[env]'`.

`aec_env` is the PettingZoo environment, `DamrakEnv` the Gymnasium one, and `Encoder` makes arrays
for custom training loops. Nothing is imported before one of these names is used.
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

__all__ = [
    "LAYOUT",
    "REWARDS",
    "DamrakAEC",
    "DamrakEnv",
    "Encoder",
    "Part",
    "aec_env",
    "encoder_for",
    "observation_layout",
    "register",
]

_HOME: Final = {
    "LAYOUT": "layout",
    "REWARDS": "rewards",
    "DamrakAEC": "aec",
    "DamrakEnv": "gym",
    "Encoder": "encode",
    "Part": "layout",
    "aec_env": "aec",
    "encoder_for": "encode",
    "observation_layout": "layout",
    "register": "gym",
}
_EXTRA: Final = ("gymnasium", "numpy", "pettingzoo")


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
        if package not in _EXTRA:
            raise
        problem = f"damrak.env.{name} needs {package}: pip install 'damrak[env]'"
        raise MissingExtra(problem, name=package) from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
