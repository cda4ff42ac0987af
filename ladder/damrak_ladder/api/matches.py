"""API of matches, their replays and logs."""

from __future__ import annotations

import gzip
from typing import Annotated, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from ninja import Field, Router, Schema

from damrak_engine.bundle import FORMAT as bundle_format
from damrak_engine.replay import FORMAT as replay_format
from damrak_ladder.api.access import READ, any_token_or_none, caller, check_owner
from damrak_ladder.api.answers import FOR_EVER, set_private
from damrak_ladder.api.description.documents import document
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.shapes import LogShape, MatchShape, match_shape
from damrak_ladder.api.tournaments.viewers import set_cached, viewer_of
from damrak_ladder.matches.models import BlockState, Match, Seat, SeatLog
from damrak_ladder.pipeline.outcome.bundles import NoBundle, bundle_bytes
from damrak_ladder.pipeline.upkeep.retention import is_log_forgotten
from damrak_ladder.replays.errors import ReplayDamaged, ReplayLost
from damrak_ladder.replays.storage import load
from damrak_ladder.replays.stores import replay_store
from damrak_ladder.tournaments.visibility import visible, visible_matches, visible_seats

WITHDRAWN_AFTER: Final = 300
"""Cache time in seconds: the results of a host may be withdrawn and the match played again."""

Hash = Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]

MOST_FAULTS: Final = 100

router = Router(tags=["matches"])


class MatchFault(Schema):
    """A fault of a seat in an attempt at a match. `blame` is the party that is responsible.

    Attempts that failed because of the platform are played again.
    """

    attempt: int
    seat: int
    reason: str
    blame: str


@router.get(
    "/matches/{int:match_id}",
    auth=any_token_or_none,
    response=MatchShape,
    operation_id="get_match",
    summary="A match",
)
def match(request: HttpRequest, response: HttpResponse, match_id: int) -> MatchShape:
    """Return a match with its seats, and its result once it is recorded.

    Hidden matches of a tournament are shown to tokens whose owners may see them.
    """
    set_cached(request, response, 10)
    return match_shape(_match(request, match_id))


@router.get(
    "/matches/{int:match_id}/faults",
    auth=any_token_or_none,
    response=list[MatchFault],
    operation_id="list_match_faults",
    summary="The faults in a match",
)
def match_faults(request: HttpRequest, response: HttpResponse, match_id: int) -> list[MatchFault]:
    """List the faults in all attempts at a match, and who is responsible for each."""
    set_cached(request, response, 10)
    found = _match(request, match_id).faults.filter(seat__isnull=False).order_by("pk")
    rows = found.values_list("attempt__number", "seat__number", "reason", "owner")
    return [
        MatchFault(attempt=attempt, seat=seat, reason=reason, blame=blame)
        for attempt, seat, reason, blame in rows[:MOST_FAULTS]
    ]


@router.get(
    "/matches/{int:match_id}/replay",
    auth=any_token_or_none,
    operation_id="get_replay",
    summary="The replay of a match",
    openapi_extra=document("Replay", replay_format),
)
@refuses("not-over", "replay-damaged")
def replay(request: HttpRequest, match_id: int, hash: Hash = "") -> HttpResponse:
    """Return the signed replay as it is stored; 409 while there is none yet.

    If `hash` is the hash given by the match, the answer may be cached forever.
    """
    found = _match(request, match_id)
    # If the block is being played again, its cards are secret again.
    if not found.replay or found.block.state != BlockState.RECORDED:
        state = found.block.state
        cure = (
            "ask an organiser to queue it again" if state == BlockState.DEAD else "try again later"
        )
        raise Problem(409, "not-over", f"match {match_id} is {state}: it has no replay yet", cure)
    if hash not in ("", found.replay):
        raise Problem(404, "not-found", f"match {match_id} has another replay", "omit the hash")
    return _replay(request, found.replay, FOR_EVER if hash else WITHDRAWN_AFTER)


@router.get(
    "/matches/{int:match_id}/seats/{int:seat}/log",
    auth=READ,
    response=list[LogShape],
    operation_id="list_logs",
    summary="Output and resource use of a bot",
)
@refuses("not-yours", "second-factor-needed", "log-forgotten")
def log(request: HttpRequest, response: HttpResponse, match_id: int, seat: int) -> list[LogShape]:
    """Return the output and resource use of the bot in a seat, by attempt; for its owner."""
    set_private(response)
    sitting = own_seat(request, match_id, seat)
    rows = list(visible(SeatLog, caller(request)).filter(seat=sitting).order_by("-attempt")[:20])
    if not rows and is_log_forgotten(sitting.match.block, timezone.now()):
        days = settings.DAMRAK_KEEPING.logs
        raise Problem(410, "log-forgotten", f"logs are kept for {days} days", "the replay remains")
    return [_log_shape(match_id, seat, row) for row in rows]


@router.get(
    "/matches/{int:match_id}/seats/{int:seat}/bundle",
    auth=READ,
    operation_id="get_bundle",
    summary="The bundle that reproduces a fault",
    openapi_extra=document("Bundle", bundle_format),
)
@refuses("not-yours", "second-factor-needed", "no-bundle")
def bundle(request: HttpRequest, match_id: int, seat: int) -> HttpResponse:
    """Return the messages to the bot until it failed, for `damrak repro`; for its owner."""
    sitting = own_seat(request, match_id, seat)
    try:
        content = bundle_bytes(sitting, sitting.match.block.attempt)
    except NoBundle as problem:
        raise Problem(404, "no-bundle", str(problem), "the log may have details") from None
    answer = HttpResponse(content, content_type="application/json")
    set_private(answer)
    answer["Content-Disposition"] = f'attachment; filename="match{match_id}-seat{seat}.json"'
    return answer


def own_seat(request: HttpRequest, match_id: int, number: int) -> Seat:
    """Return a seat of a bot of the caller.

    Raises:
        Problem: there is none, or it is not the caller's.
    """
    every = visible_seats(caller(request)).select_related("match__block", "version__bot__owner")
    found = every.filter(match__pk=match_id, number=number).first()
    if found is None:
        raise not_found(f"seat {number} in match {match_id}")
    check_owner(request, found.version.bot)
    return found


def _match(request: HttpRequest, match_id: int) -> Match:
    every = (
        visible_matches(viewer_of(request))
        .select_related("block__ladder")
        .prefetch_related("seats__version__bot__owner", "seats__result")
    )
    found = every.filter(pk=match_id).first()
    if found is None:
        raise not_found(f"match {match_id}", "GET /api/v1/matches lists those there are")
    return found


def _log_shape(match_id: int, seat: int, row: SeatLog) -> LogShape:
    told = {name: getattr(row, name) for name in LogShape.model_fields if name not in _PLACE}
    return LogShape(match=match_id, seat=seat, **told)


_PLACE: Final = frozenset({"match", "seat"})


def _replay(request: HttpRequest, replay_hash: str, seconds: int) -> HttpResponse:
    accepted = {
        word.partition(";")[0].strip()
        for word in request.headers.get("Accept-Encoding", "").lower().split(",")
        if not word.replace(" ", "").endswith(";q=0")
    }
    coding = next((name for name in ("zstd", "gzip") if name in accepted), "")
    tag = f'"{replay_hash}{"-" if coding else ""}{coding}"'
    if tag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponse(status=304)
    else:
        answer = HttpResponse(_bytes(replay_hash, coding), content_type="application/json")
        answer["Content-Encoding"] = coding or "identity"  # prevents further compression
        answer["Content-Disposition"] = f'inline; filename="{replay_hash[:16]}.json"'
    answer["ETag"] = tag
    set_cached(request, answer, seconds)
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer


def _bytes(replay_hash: str, coding: str) -> bytes:
    try:
        data = load(replay_hash)
        if coding == "zstd":
            return replay_store().get(replay_hash)
    except (ReplayLost, ReplayDamaged) as problem:
        raise Problem(
            500, "replay-damaged", str(problem), "contact the operators of this site"
        ) from None
    # Deterministic, as the ETag requires.
    return gzip.compress(data, mtime=0) if coding == "gzip" else data
