"""Blocks for tests."""

from __future__ import annotations

import itertools
import random
from typing import Any

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, Purpose
from ladder_django.lines import some_bot, some_version
from pipeline.plant import now

_numbers = itertools.count(1)


def new_version(spec: str = "greedy", kind: Kind = Kind.HOUSE) -> Version:
    """A version of a bot of its own."""
    return some_version(some_bot(f"bot-{next(_numbers)}"), spec, kind)


def house_block(*specs: str, **table: Any) -> Block:
    """A block of house bots that waits."""
    versions = tuple(map(new_version, specs or ("greedy", "greedy")))
    return block_of(*versions, **table)


def block_of(*versions: Version, **table: Any) -> Block:
    """A block that waits, with a seed of its own."""
    said = {"board": "practice", "purpose": Purpose.LADDER, "flow": "ladder:practice", **table}
    seed = random.Random(next(_numbers)).randbytes(32)
    return book(Table(versions, **said), seed, now())
