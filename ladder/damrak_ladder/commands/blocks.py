"""The command `damrak-ladder blocks`."""

from __future__ import annotations

import argparse
from typing import Any

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "blocks",
        "list and requeue dead blocks",
        "A block that failed too often is dead. It is not retried until you requeue it.",
        "damrak-ladder blocks dead\ndamrak-ladder blocks requeue 17 18",
    )
    dead = add_command(
        verbs,
        "dead",
        "list dead blocks",
        "Lists dead blocks with the error of the latest attempt.",
        "damrak-ladder blocks dead --json",
        _dead,
    )
    add_json(dead)
    requeue = add_command(
        verbs,
        "requeue",
        "queue dead blocks again",
        "Queues dead blocks again and resets their attempts.",
        "damrak-ladder blocks requeue 17 18\ndamrak-ladder blocks requeue --all",
        _requeue,
    )
    requeue.add_argument("blocks", nargs="*", type=int, metavar="BLOCK")
    requeue.add_argument("--all", action="store_true", help="all dead blocks")


def _dead(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.models import Block, BlockState, Purpose
    from damrak_ladder.message_codes.wording import english

    found = Block.objects.filter(state=BlockState.DEAD).exclude(purpose=Purpose.PLAY)
    found = found.select_related("ladder").order_by("pk")
    rows = [
        {
            "block": block.pk,
            "purpose": block.purpose,
            "ladder": block.ladder.slug if block.ladder else None,
            "board": block.board,
            "attempts": block.attempt,
            "trouble": english(block.trouble),
        }
        for block in found.iterator()
    ]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "No block is dead.")
    return 0


def _requeue(args: argparse.Namespace) -> int:
    if bool(args.blocks) == args.all:
        raise Misuse("name blocks, or say --all (see: damrak-ladder blocks dead)")
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_ladder.matches.attempts import requeue
    from damrak_ladder.matches.models import Block, BlockState, Purpose

    chosen = args.blocks or list(
        Block.objects.filter(state=BlockState.DEAD)
        .exclude(purpose=Purpose.PLAY)  # the people have left
        .values_list("pk", flat=True)
    )
    missing = [block for block in chosen if not requeue(block, timezone.now())]
    say(f"{len(chosen) - len(missing)} queued again")
    if missing:
        raise Misuse(f"not dead: {', '.join(map(str, missing))}")
    return 0
