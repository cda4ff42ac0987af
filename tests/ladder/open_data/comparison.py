"""Dumps compared with the database, row by row and without the code that writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block, Match, SeatResult
from damrak_ladder.replays.storage import load
from damrak_ladder.standings.models import Line, Standing
from ladder.open_data.dumps import rows_of


def compare(folder: Path, hidden: set[int]) -> int:
    """Compare a dump with the database, in which these blocks are hidden; return the replays."""
    assert by_id(rows_of(folder, "matches")) == expected_matches(hidden)
    replays = {row["match"]: row["replay"] for row in rows_of(folder, "replays")}
    known = Match.objects.filter(block__finished__isnull=False).exclude(replay="")
    real = {it.pk: text for it in known if it.block_id not in hidden and (text := _replay(it))}
    assert replays == real
    assert [
        (row["ladder"], row["version_id"], row["seats"], row["fit"], row["elo"], row["games"])
        for row in rows_of(folder, "ratings")
    ] == list(
        Line.objects.order_by("at", "pk").values_list(
            "ladder__slug", "version", "seats", "fit", "elo", "games"
        )
    )
    assert len(rows_of(folder, "standings")) == Standing.objects.count()
    assert [row["id"] for row in rows_of(folder, "versions")] == list(
        Version.objects.order_by("pk").values_list("pk", flat=True)
    )
    assert len(rows_of(folder, "bots")) == Bot.objects.count()
    return len(real)


def expected_matches(hidden: set[int]) -> list[dict[str, Any]]:
    """Return the rows of matches, read seat by seat and without the code of the dump."""
    rows: dict[int, dict[str, Any]] = {}
    full = SeatResult.objects.select_related(
        "seat__match__block__ladder", "seat__version__bot__owner"
    )
    for result in full.order_by("seat__match__block__finished", "seat__match", "seat__number"):
        seat, version = result.seat, result.seat.version
        match, block = seat.match, seat.match.block
        if block.pk in hidden:
            continue
        row = rows.setdefault(
            match.pk,
            {
                "id": match.pk,
                "block": block.pk,
                "number": match.number,
                "ladder": block.ladder.slug if block.ladder else None,
                "purpose": block.purpose,
                "board": block.board,
                "options": json.dumps(block.options, separators=(",", ":")),
                "control": json.dumps(block.control, separators=(",", ":")),
                "is_mirrored": block.is_mirrored,
                "finished": block.finished,
                "replay": match.replay,
                "seats": [],
            },
        )
        row["seats"].append(
            {
                "seat": seat.number,
                "bot": version.bot.slug,
                "version": version.number,
                "version_id": version.pk,
                "owner": version.bot.owner.username,
                "kind": version.kind,
                "turn": result.turn,
                "place": result.place,
                "points": result.points,
                "fault": result.fault,
            }
        )
    return sorted(rows.values(), key=lambda row: row["id"])


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in the order of their ids."""
    return sorted(rows, key=lambda row: row["id"])


def _replay(match: Match) -> str:
    try:
        return load(match.replay).decode().strip()
    except Exception:  # noqa: BLE001 - results made up by the test have no replay
        return ""


def public_now() -> list[int]:
    """Return the blocks of tournaments that are released to everyone."""
    rows = Block.objects.filter(pairing_block__pairing__release="public", finished__isnull=False)
    return list(rows.values_list("pk", flat=True))
