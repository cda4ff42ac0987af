"""Tools that read from a ladder. Their docstrings are what an assistant sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from damrak.assistant.summary import summary_of
from damrak.errors import LadderError
from damrak.ladder.site import Site, part
from damrak_engine.replay import parse_replay

MOST: Final = 50
LOG_LETTERS: Final = 8000
FAILURES: Final = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """The tools that need no token, or one with the scope `read`."""

    site: Site

    def list_matches(
        self,
        bot: str = "",
        opponent: str = "",
        ladder: str = "",
        result: str = "",
        fault: str = "",
        state: str = "recorded",
        cursor: str = "",
        limit: int = 20,
    ) -> dict[str, Any]:
        """List matches, newest first. All filters that are given must hold.

        `result` is won, tied or lost by `bot`; `fault` is any, none or a reason such as timeout;
        `state` is recorded, running, waiting or dead. `next_cursor` continues the list.
        """
        given = {"bot": bot, "opponent": opponent, "ladder": ladder, "result": result}
        given |= {"fault": fault, "state": state, "cursor": cursor}
        query = {name: value for name, value in given.items() if value}
        found: dict[str, Any] = self.site.get("matches", **query, limit=max(1, min(limit, MOST)))
        return found

    def summarise_replay(self, match: int) -> dict[str, Any]:
        """Summarise the replay of a match: places, points, contracts, claims, pace and faults.

        The whole replay is the resource damrak://matches/MATCH/replay.
        """
        return summary_of(parse_replay(self.replay(match)))

    def replay(self, match: int) -> bytes:
        """Return the replay of a match, as it is stored."""
        return self.site.download(f"matches/{match}/replay")

    def show_standings(self, ladder: str = "", tournament: str = "") -> dict[str, Any]:
        """Show the rating table of a ladder, or the tables of a tournament.

        Without either, list the ladders and tournaments that there are.
        """
        if ladder:
            rows = self.site.get(f"ladders/{part(ladder)}/ratings", limit=MOST)
            return {"ladder": ladder, "rows": rows}
        if tournament:
            found: dict[str, Any] = self.site.get(f"tournaments/{part(tournament)}/standings")
            return found
        return {
            "ladders": [one["slug"] for one in self.site.get("ladders")],
            "tournaments": self.site.get("tournaments", limit=MOST),
        }

    def compare_versions(
        self,
        bot: str,
        other_bot: str,
        ladder: str,
        version: int | None = None,
        other_version: int | None = None,
    ) -> dict[str, Any]:
        """Compare two versions on a ladder: their ratings, and their games against each other.

        Without numbers, the live versions are compared; the two bots may be the same.
        """
        sides = [self._version(bot, version), self._version(other_bot, other_version)]
        ratings = [self.site.get(f"versions/{one['id']}/ratings") for one in sides]
        try:
            path = f"versions/{sides[0]['id']}/opponents/{sides[1]['id']}"
            met = self.site.get(path, ladder=ladder)
        except LadderError as problem:
            met = {"none": str(problem)}
        return {
            "versions": [
                {
                    **{name: one[name] for name in ("id", "bot", "number", "state", "note")},
                    "ratings": [row for row in rows if row["ladder"] == ladder],
                }
                for one, rows in zip(sides, ratings, strict=True)
            ],
            "head_to_head": met,
        }

    def show_queue(self, bot: str = "") -> dict[str, Any]:
        """Show running and waiting blocks with their expected starts, of one bot or of all."""
        found: dict[str, Any] = self.site.get("queue")
        for state in ("running", "waiting"):
            rows = found[state]
            if bot:
                rows = [row for row in rows if any(one["bot"] == bot for one in row["versions"])]
            found[state] = rows[:MOST]
        return found

    def follow_submission(self, bot: str, version: int | None = None) -> dict[str, Any]:
        """Show how far a version is: its state, its steps, and whether more will follow.

        Call it again after some seconds while `is_over` is false. Without a number, the newest
        version is shown.
        """
        found = self._version(bot, version, is_newest=True)
        said: dict[str, Any] = self.site.get(f"versions/{found['id']}/steps")
        return said

    def read_failures(self, bot: str, version: int | None = None) -> dict[str, Any]:
        """Read the latest matches in which a version of yours failed, with what it printed.

        Without a number, the newest version is read.
        """
        found = self._version(bot, version, is_newest=True)
        rows = self.site.get(f"versions/{found['id']}/failures")
        shown = [
            {**row, "output": self._output(row["match"], row["seat"])} for row in rows[:FAILURES]
        ]
        return {"version": found, "failures": shown, "more": max(0, len(rows) - FAILURES)}

    def read_log(self, match: int, seat: int) -> dict[str, Any]:
        """Read what your bot printed in a seat of a match, with its time and memory, by attempt."""
        rows = self.site.get(f"matches/{match}/seats/{seat}/log")
        return {"attempts": [{**row, "output": row["output"][-LOG_LETTERS:]} for row in rows]}

    def _output(self, match: int, seat: int) -> str:
        try:
            rows = self.read_log(match, seat)["attempts"]
        except LadderError as problem:
            return f"(not available: {problem})"
        return str(rows[0]["output"]) if rows else ""

    def _version(self, bot: str, number: int | None, *, is_newest: bool = False) -> dict[str, Any]:
        rows = self.site.get(f"bots/{part(bot)}/versions", limit=1000)
        if number is None and is_newest:
            found = rows[:1]
        elif number is None:
            found = [row for row in rows if row["is_live"]]
        else:
            found = [row for row in rows if row["number"] == number]
        if not found:
            named = "live version" if number is None else f"version {number}"
            raise LadderError(f"{bot} has no {named}")
        version: dict[str, Any] = found[0]
        return version
