"""Tools that change something on a ladder. Their docstrings are what an assistant sees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from damrak.errors import LadderError
from damrak.ladder.archive import pack
from damrak.ladder.registration import check_name, ensure_bot
from damrak.ladder.site import Site, part


@dataclass(frozen=True, slots=True)
class Changing:
    """The tools that need a token with the scope `submit` or `tournaments:run`.

    Only bots in `folder` can be submitted, so that nothing else leaves this machine.
    """

    site: Site
    folder: Path

    def submit_bot(
        self, place: str, bot: str, note: str = "", as_canary: bool = False
    ) -> dict[str, Any]:
        """Submit a bot's folder or file as a new version; create the bot if there is none.

        `place` is a path below the folder in which this server was started. The note is public.
        With `as_canary`, the version plays shadow games and does not go live. Then call
        `follow_submission`.
        """
        root = self.folder.resolve()
        path = (root / place).resolve()
        if not path.is_relative_to(root):
            raise LadderError(f"{place}: it is not below {root}")
        packed = pack(path)
        slug = check_name(bot)
        is_new = ensure_bot(self.site, slug)
        query = {"note": note, **({"canary": "true"} if as_canary else {})}
        kind = "application/octet-stream"
        version = self.site.send(f"bots/{slug}/versions", packed.data, kind, **query)
        return {"version": version, "bot_created": is_new, "bytes": len(packed.data)}

    def make_live(self, bot: str, version: int) -> dict[str, Any]:
        """Let a qualified version play in place of the live one. It may be an earlier version."""
        said: dict[str, Any] = self.site.post(f"bots/{part(bot)}/live", {"version": version})
        return said

    def act_on_tournament(
        self,
        tournament: str,
        kind: str,
        payload: dict[str, Any] | None = None,
        reason: str = "",
        dry_run: bool = True,
    ) -> dict[str, Any]:
        """Preview an act of an organiser, or with `dry_run` false perform it.

        `kind` is for example open, close, start, pause, release, replay_round, disqualify or undo,
        and `payload` its fields, such as {"round": 3}. Preview an act first, show its `changes`
        to the user, and perform it only if the user agrees.
        """
        path = f"tournaments/{part(tournament)}"
        serial = self.site.get(path).get("serial")
        if serial is None:
            raise LadderError(f"{tournament}: the owner of this token is not one of its organisers")
        body = {"kind": kind, "payload": payload or {}, "reason": reason, "dry_run": dry_run}
        headers = {"If_Match": f'"{serial}"', "Idempotency_Key": uuid4().hex}
        said: dict[str, Any] = self.site.post(f"{path}/acts", body, **headers)
        return said
