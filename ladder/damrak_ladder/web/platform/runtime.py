"""The page of the runtime that hosts of this site offer to uploaded bots."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from damrak_engine.clock import TimeControl
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.runtimes import Difference, offer
from damrak_ladder.matches.time_control import control_of
from damrak_wire.runtime import BotLimits

_LADDERS: Final = 50
_LIMITS: Final[dict[str, Promise]] = {
    "memory_mb": gettext_lazy("Memory"),
    "memory_is_shared": gettext_lazy("Memory shared by all processes of a bot"),
    "cpu_millis": gettext_lazy("Processors"),
    "cpu_seconds": gettext_lazy("CPU time per match"),
    "processes": gettext_lazy("Processes and threads"),
    "open_files": gettext_lazy("Open files of a process"),
    "file_mb": gettext_lazy("Size of a file that the bot writes"),
    "tmp_mb": gettext_lazy("Space in /tmp"),
    "shm_mb": gettext_lazy("Space in /dev/shm"),
    "output_bytes": gettext_lazy("Output limit, after which the bot is stopped"),
    "output_kept_bytes": gettext_lazy("Stored output"),
    "start_ms": gettext_lazy("Start-up time"),
    "archive_mb": gettext_lazy("Size of the archive"),
    "unpacked_mb": gettext_lazy("Total size of its files"),
    "archive_files": gettext_lazy("Files and folders in the archive"),
}
_KINDS: Final[dict[str, Promise]] = {
    "python": gettext_lazy("Python"),
    "platform": gettext_lazy("System"),
    "cpu": gettext_lazy("Processor model"),
    "processors": gettext_lazy("Processors of the machine"),
}


def runtime(request: HttpRequest) -> HttpResponse:
    """Show interpreters, packages and limits, as hosts report them from their sandboxes."""
    found = offer(timezone.now())
    context = {
        "offer": found,
        "common": found.common,
        "limits": [] if found.common is None else _limits(found.common.limits),
        "differences": [(_called(one), map(_said, one.values)) for one in found.differences],
        "clocks": [
            (ladder, [_thinking_time(time) for time in _times(control_of(ladder.control))])
            for ladder in Ladder.objects.filter(is_open=True).order_by("-weight", "slug")[:_LADDERS]
            if Kind.UPLOADED in ladder.admits
        ],
        "url": settings.DAMRAK_URL,
    }
    return render(request, "web/platform/runtime.html", context)


def _called(difference: Difference) -> str:
    if difference.kind == "limits":
        return str(_LIMITS[difference.name])
    return difference.name or str(_KINDS[difference.kind])


def _said(value: str | None) -> str | None:
    return {"True": _("yes"), "False": _("no")}.get(value, value) if value else value


def _limits(limits: BotLimits) -> list[tuple[str, str]]:
    """Return the limits with their names and values as texts."""
    together = _("%(mb)s MiB for all processes of a bot together")
    each = _("%(mb)s MiB for each process of a bot")
    values = {
        "memory_mb": (together if limits.memory_is_shared else each) % {"mb": limits.memory_mb},
        "cpu_millis": f"{limits.cpu_millis / 1000:g}" if limits.cpu_millis else _("not limited"),
        "cpu_seconds": _seconds(limits.cpu_seconds),
        "processes": str(limits.processes),
        "open_files": str(limits.open_files),
        "file_mb": f"{limits.file_mb} MiB",
        "tmp_mb": _size(limits.tmp_mb),
        "shm_mb": _size(limits.shm_mb),
        "output_bytes": f"{limits.output_bytes >> 20} MiB",
        "output_kept_bytes": f"{limits.output_kept_bytes >> 10} KiB",
        "start_ms": _seconds(limits.start_ms // 1000),
        "archive_mb": f"{limits.archive_mb} MiB",
        "unpacked_mb": f"{limits.unpacked_mb} MiB",
        "archive_files": str(limits.archive_files),
    }
    return [(str(_LIMITS[name]), value) for name, value in values.items()]


def _size(mb: int) -> str:
    return f"{mb} MiB" if mb else _("not limited")


def _seconds(seconds: int) -> str:
    return ngettext("%(n)s second", "%(n)s seconds", seconds) % {"n": seconds}


def _times(control: TimeControl) -> tuple[int | None, int, int]:
    return control.decision_ms or None, control.bank_ms, control.increment_ms


def _thinking_time(milliseconds: int | None) -> str:
    """Format milliseconds as seconds, with as many decimals as they need."""
    if milliseconds is None:
        return "\N{EN DASH}"
    decimals = 0 if milliseconds % 1000 == 0 else 1 if milliseconds % 100 == 0 else 3
    return _("%(count)s s") % {"count": number_format(milliseconds / 1000, decimals)}
