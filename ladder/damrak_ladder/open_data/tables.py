"""The tables of a dump and their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Column:
    """A column. Types are those of Arrow; `json` is an object, in Parquet its text."""

    name: str
    type: str
    meaning: str
    fields: tuple[Column, ...] = ()
    """The fields of each element, if the column is a list of them."""

    def to_json(self) -> dict[str, Any]:
        """Return the column as listed in the index."""
        listed: dict[str, Any] = {"name": self.name, "type": self.type, "meaning": self.meaning}
        return listed | ({"fields": [it.to_json() for it in self.fields]} if self.fields else {})


@dataclass(frozen=True, slots=True)
class Table:
    """A table; either it has files for each day, or it is written as a whole."""

    name: str
    meaning: str
    is_daily: bool
    columns: tuple[Column, ...]
    rows_at_once: int = 5000
    """The number of rows in memory while a file is written."""


SEAT: Final = (
    Column("seat", "int64", "the number of the seat, from 0"),
    Column("bot", "string", "the bot"),
    Column("version", "int64", "the number of its version"),
    Column("version_id", "int64", "the id of its version, as in the table of versions"),
    Column("owner", "string", "the owner of the bot; `former-author` if the account was deleted"),
    Column("kind", "string", "uploaded, remote or house"),
    Column("turn", "int64", "its turn order; 0 moved first"),
    Column("place", "int64", "its final place, from 1"),
    Column("points", "int64", "its final points"),
    Column("fault", "string", "the reason for which it left the match, or empty"),
)

MATCHES: Final = Table(
    "matches",
    "recorded matches, by the day on which their block ended (UTC)",
    True,
    (
        Column("id", "int64", "the id of the match"),
        Column("block", "int64", "the id of its block: all rotations of one table"),
        Column("number", "int64", "its number within the block, from 0"),
        Column("ladder", "string", "the ladder; null for other competitions"),
        Column("purpose", "string", "ladder, qualification, canary, test or tournament"),
        Column("board", "string", "the name of the board"),
        Column("options", "json", "rule options that differ from the defaults"),
        Column("control", "json", "the time control"),
        Column("is_mirrored", "bool", "whether all matches of a rotation have one seed"),
        Column("finished", "timestamp", "the end of the block"),
        Column("replay", "string", "the SHA-256 of its replay"),
        Column("seats", "list", "the seats, in their order", SEAT),
    ),
    2000,
)

REPLAYS: Final = Table(
    "replays",
    "replays of these matches; in NDJSON, each line is a replay (damrak-replay/1)",
    True,
    (
        Column("match", "int64", "the id of the match"),
        Column("ladder", "string", "the ladder; null for other competitions"),
        Column("board", "string", "the name of the board"),
        Column("hash", "string", "the SHA-256 of the replay"),
        Column("is_redacted", "bool", "whether names of deleted accounts were replaced in it"),
        Column("replay", "string", "the replay as JSON"),
    ),
    100,
)

_RATING: Final = (
    Column("ladder", "string", "the ladder"),
    Column("version_id", "int64", "the id of the version"),
    Column("bot", "string", "the bot"),
    Column("version", "int64", "the number of the version"),
    Column("seats", "int64", "the number of seats at the tables that count; 0 for all"),
    Column("elo", "int64", "the rating"),
    Column("low", "int64", "the lower bound of its 95 % interval"),
    Column("high", "int64", "the upper bound of its 95 % interval"),
    Column("rank", "int64", "its rank; null if it was not listed"),
    Column("rank_low", "int64", "the best rank that is plausible"),
    Column("rank_high", "int64", "the worst rank that is plausible"),
    Column("band", "int64", "versions in one band cannot be told apart"),
    Column("first", "float64", "the probability of being the strongest, in hundredths"),
    Column("blocks", "int64", "the number of blocks"),
    Column("games", "int64", "the number of games"),
)

RATINGS: Final = Table(
    "ratings",
    "changes of published ratings, by the day of their publication (UTC)",
    True,
    (
        Column("at", "timestamp", "the time of the publication"),
        Column("fit", "int64", "the number of the fit on its ladder"),
        *_RATING,
    ),
)

STANDINGS: Final = Table("standings", "the ratings that are published now", False, _RATING)

BOTS: Final = Table(
    "bots",
    "bots and their owners",
    False,
    (
        Column("slug", "string", "its name in addresses"),
        Column("name", "string", "its name"),
        Column("owner", "string", "its owner; `former-author` if the account was deleted"),
        Column("live", "int64", "the number of the version that plays, or null"),
        Column("created", "timestamp", "the time of its creation"),
    ),
)

VERSIONS: Final = Table(
    "versions",
    "versions of bots",
    False,
    (
        Column("id", "int64", "the id of the version"),
        Column("bot", "string", "the bot"),
        Column("number", "int64", "its number, from 1 for each bot"),
        Column("kind", "string", "uploaded, remote or house"),
        Column("language", "string", "the programming language"),
        Column("sha256", "string", "the SHA-256 of the uploaded archive, or empty"),
        Column("size", "int64", "the size of the archive in bytes"),
        Column("note", "string", "the note of its author; empty if the account was deleted"),
        Column("spec", "string", "the spec of a house bot, or the software of a remote one"),
        Column("state", "string", "checking, qualifying, qualified, failed or benched"),
        Column("reason", "string", "why it failed or was benched"),
        Column("created", "timestamp", "the time of its submission"),
        Column("changed", "timestamp", "the time of the last change of its state"),
    ),
)

BOARDS: Final = Table(
    "boards",
    "the engine's boards, and those of the matches",
    False,
    (
        Column("name", "string", "the name of the board"),
        Column("board", "json", "the board in the format damrak-board/1"),
    ),
    50,
)

LADDERS: Final = Table(
    "ladders",
    "ladders and their rules",
    False,
    (
        Column("slug", "string", "its name in addresses"),
        Column("name", "string", "its name"),
        Column("boards", "json", "the boards that are drawn"),
        Column("shares", "json", "the share of tables by the number of seats"),
        Column("options", "json", "rule options that differ from the defaults"),
        Column("control", "json", "the time control"),
        Column("rotations", "int64", "rotations of the seats per block"),
        Column("anchors", "json", "the Elo of anchors, by the spec of a house bot"),
        Column("is_open", "bool", "whether it is played now"),
        Column("created", "timestamp", "the time of its creation"),
    ),
)

DAILY: Final = (MATCHES, REPLAYS, RATINGS)
WHOLE: Final = (STANDINGS, BOTS, VERSIONS, BOARDS, LADDERS)
TABLES: Final = {table.name: table for table in (*DAILY, *WHOLE)}
