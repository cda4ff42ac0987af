"""`GET /healthz` and the paths below it, answered before any other processing.

They need no host name, no https and no session, because the callers are machines: proxies and
supervisors. They never wait for a part that hangs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from damrak_ladder.health import checks, parts
from damrak_ladder.health.addresses import HOSTS, LIVE, PATH, READY
from damrak_ladder.health.checks import Check
from damrak_ladder.installation.environment import LOOPBACK
from damrak_ladder.matches.hosts import HostStatus

Found = dict[str, str]


class HealthMiddleware:
    """Answers 200 if the parts in question are well, else 503, in both cases with the findings.

    `/healthz` covers all parts of the platform, `/healthz/live` this process, `/healthz/ready` what
    the site needs to answer requests, and `/healthz/hosts` the machines that play. Details are only
    for requests from this machine, and for `damrak-ladder doctor`.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer
        self._checks = {group: _check_of(group) for group in parts.GROUPS}
        self._hosts: Check[dict[str, HostStatus] | None] = Check(
            lambda: parts.host_statuses(timezone.now()), lambda _: None
        )

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer to a request."""
        path = request.path_info
        if path not in {PATH, LIVE, READY, HOSTS}:
            return self._answer(request)
        if request.method not in {"GET", "HEAD"}:
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        is_here = request.META.get("REMOTE_ADDR") in LOOPBACK
        if path == HOSTS:
            return self._host_answer(is_here)
        found: Found = {"process": parts.WELL}
        if path == READY:
            found = {name: self._look(parts.GROUPS[:1])[name] for name in parts.READY}
        elif path == PATH:
            found = self._look(parts.GROUPS)
        if not is_here:
            # Details contain addresses and names of buckets and hosts.
            found = {name: state.partition(": ")[0] for name, state in found.items()}
        return _answer(found, is_well=parts.is_well(found))

    def _look(self, groups: tuple[tuple[str, ...], ...]) -> Found:
        runs = {group: self._checks[group].start() for group in groups}
        found: Found = {}
        for group, run in runs.items():
            result = run.result(checks.DEADLINE_S)
            late = f"no response within {checks.DEADLINE_S:g} s"
            found |= parts.overdue(group, late) if result is None else result
        return {name: found[name] for name in parts.PARTS if name in found}

    def _host_answer(self, is_here: bool) -> HttpResponse:
        statuses = self._hosts.start().result(checks.DEADLINE_S)
        if statuses is None:
            return _answer({"hosts": "unknown: the database does not answer"}, is_well=False)
        # A quarantine is a decision, not a failure.
        bad = {HostStatus.SILENT, HostStatus.CLOSED}
        is_well = HostStatus.READY in statuses.values() and not bad & set(statuses.values())
        if is_here:
            return _answer({name: str(status) for name, status in statuses.items()}, is_well)
        counted = Counter(str(status) for status in statuses.values())
        return _answer({str(status): counted[status] for status in HostStatus}, is_well)


def _check_of(group: tuple[str, ...]) -> Check[Found]:
    return Check(
        lambda: parts.look_at(group, timezone.now()),
        lambda problem: parts.overdue(group, f"{type(problem).__name__}: {problem}"),
    )


def _answer(found: dict[str, str] | dict[str, int], is_well: bool) -> HttpResponse:
    answer = JsonResponse(found, status=200 if is_well else 503)
    answer._has_been_logged = True  # type: ignore[attr-defined]  # it would fill the log
    answer["Cache-Control"] = "no-store"
    answer["Content-Length"] = str(len(answer.content))
    return answer
