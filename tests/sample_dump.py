"""A small dump of games between house bots, for notebooks: made without a site or a database."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from damrak.cli import main
from damrak_ladder.open_data.index import DayEntry, File, Index
from damrak_ladder.open_data.row_files import write_file, write_table
from damrak_ladder.open_data.tables import MATCHES, REPLAYS, STANDINGS

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BOTS = {"planner": (1500, 1), "greedy": (1200, 2)}
"""The Elo and the id of each bot's version."""


@cache
def sample() -> tuple[Path, Path]:
    """Return a dump and the folder of its games, which are played once per process."""
    folder = Path(tempfile.mkdtemp(prefix="damrak-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    arguments = ["--games", "12", "--seed", "5", "--save", str(folder / "games")]
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["play", "planner", "greedy", *arguments]) == 0
    _write(folder / "data", folder / "games")
    return folder / "data", folder / "games"


def _write(folder: Path, games: Path) -> None:
    replays = [json.loads(path.read_bytes()) for path in sorted(games.glob("*.json"))]
    blocks = list(dict.fromkeys(replay["seed"] for replay in replays))
    rows = [_match(i, blocks.index(replay["seed"]), replay) for i, replay in enumerate(replays)]
    days = sorted({row["finished"].date() for row in rows})
    files: list[File] = write_table(folder, STANDINGS, None, map(_standing, BOTS))
    for day in days:
        chosen = [i for i, row in enumerate(rows) if row["finished"].date() == day]
        files += write_table(folder, MATCHES, day, [rows[i] for i in chosen])
        files += write_table(folder, REPLAYS, day, [_replay(i, replays[i]) for i in chosen])
    entries = tuple([DayEntry(day.isoformat(), True, "00", 0) for day in days])
    index = Index(NOW, "https://damrak.example", "CC0-1.0", entries, tuple(files))
    write_file(folder / "index.json", index.to_bytes())


def _match(number: int, block: int, replay: dict[str, Any]) -> dict[str, Any]:
    seats, first = replay["seats"], replay["events"][0]["first"]
    return {
        "id": number + 1,
        "block": block + 1,
        "number": number % len(seats),
        "ladder": "amsterdam",
        "purpose": "ladder",
        "board": replay["board"]["id"],
        "options": {},
        "control": {},
        "is_mirrored": True,
        "finished": NOW + timedelta(hours=block),
        "replay": replay["hash"],
        "seats": [
            {
                "seat": seat,
                "bot": player["bot"],
                "version": 1,
                "version_id": BOTS[player["bot"]][1],
                "owner": "house",
                "kind": "house",
                "turn": (seat - first) % len(seats),
                "place": came["place"],
                "points": came["total"],
                "fault": "",
            }
            for seat, (player, came) in enumerate(
                zip(seats, replay["result"]["seats"], strict=True)
            )
        ],
    }


def _replay(number: int, replay: dict[str, Any]) -> dict[str, Any]:
    for player in replay["seats"]:
        player["version"] = "1"
    return {
        "match": number + 1,
        "ladder": "amsterdam",
        "board": replay["board"]["id"],
        "hash": replay["hash"],
        "is_redacted": False,
        "replay": json.dumps(replay, separators=(",", ":")),
    }


def _standing(bot: str) -> dict[str, Any]:
    elo, version = BOTS[bot]
    return {
        "ladder": "amsterdam",
        "version_id": version,
        "bot": bot,
        "version": 1,
        "seats": 0,
        "elo": elo,
        "low": elo - 60,
        "high": elo + 60,
        "rank": version,
        "rank_low": version,
        "rank_high": version,
        "band": version,
        "first": 0.5,
        "blocks": 6,
        "games": 12,
    }
