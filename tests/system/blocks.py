"""Blocks for tests."""

from __future__ import annotations

import itertools
import random
from typing import Any

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, Purpose
from ladder.bot_versions import some_bot, some_version
from system.plant import now

_numbers = itertools.count(1)


def new_version(spec: str = "greedy", kind: Kind = Kind.HOUSE) -> Version:
    """Return a version of a new bot."""
    return some_version(some_bot(f"bot-{next(_numbers)}"), spec, kind)


def house_block(*specs: str, **table: Any) -> Block:
    """Return a waiting block of house bots."""
    versions = tuple(map(new_version, specs or ("greedy", "greedy")))
    return block_of(*versions, **table)


def block_of(*versions: Version, **table: Any) -> Block:
    """Return a waiting block with a new seed."""
    said = {"board": "practice", "purpose": Purpose.LADDER, "flow": "ladder:practice", **table}
    seed = random.Random(next(_numbers)).randbytes(32)
    return book(Table(versions, **said), seed, now())
