"""Boards of replays that were read before. Most replays of a data set have the same few boards.

A board is two thirds of a replay. If the bytes of a known one occur in a file, they are replaced
before JSON is decoded.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Final

from damrak_engine.board import Board
from damrak_engine.strictjson import canonical

KEPT: Final = 64


class KnownBoards:
    """The boards read so far."""

    def __init__(self) -> None:
        self._boards: dict[str, Board] = {}
        self._texts: dict[str, bytes] = {}
        self._sign = secrets.token_hex(8)  # what no file contains
        self._replacement = f'"board":"{self._sign}"'.encode()

    def read(self, data: bytes) -> tuple[Any, Board | None]:
        """Return a decoded replay, and its board if it is known.

        Raises:
            ValueError: it is not JSON.
        """
        for id_, text in self._texts.items():
            at = data.find(text)
            if at >= 0:
                raw = json.loads(data[:at] + self._replacement + data[at + len(text) :])
                if isinstance(raw, dict) and raw.get("board") == self._sign:
                    raw["board"] = self._boards[id_].source
                    return raw, self._boards[id_]
        raw = json.loads(data)  # the strict reader of `verify` takes four times as long
        return raw, self._equal(raw)

    def keep(self, board: Board, data: bytes) -> None:
        """Keep the board of this replay."""
        if board.id in self._boards or len(self._boards) >= KEPT:
            return
        self._boards[board.id] = board
        text = b'"board":' + canonical(board.source)
        if text in data:
            self._texts[board.id] = text

    def _equal(self, raw: Any) -> Board | None:
        """Return a known board equal to that of a replay; comparing is faster than parsing."""
        told = raw.get("board") if isinstance(raw, dict) else None
        id_ = told.get("id") if isinstance(told, dict) else None
        board = self._boards.get(id_) if isinstance(id_, str) else None
        return board if board is not None and board.source == told else None
