"""States, kinds and reasons in words for people, and the tone in which each is shown."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy as _

from damrak_ladder.accounts.models import FORMER_AUTHOR, Role
from damrak_ladder.bots.models import Kind, State, StepKind
from damrak_ladder.matches.models import Blame, BlockState, HostState, Outcome, Purpose
from damrak_ladder.trials.models import CanaryState, TrialState

ROLES: Final = {
    Role.AUTHOR: _("author"),
    Role.ORGANISER: _("organiser"),
    Role.STAFF: _("staff"),
}

KINDS: Final = {
    Kind.UPLOADED: _("uploaded"),
    Kind.REMOTE: _("remote"),
    Kind.HOUSE: _("house"),
    Kind.PERSON: _("person"),
}

PURPOSES: Final = {
    Purpose.LADDER: _("ladder"),
    Purpose.QUALIFICATION: _("qualification"),
    Purpose.CANARY: _("canary"),
    Purpose.TEST: _("test"),
    Purpose.TOURNAMENT: _("tournament"),
    Purpose.PLAY: _("game of people"),
}

STEPS: Final[dict[str, Any]] = {
    StepKind.RECEIVED: _("Received"),
    StepKind.CHECKED: _("Checked"),
    StepKind.REFUSED: _("Rejected"),
    StepKind.QUEUED: _("Queued"),
    StepKind.PLAYING: _("Playing"),
    StepKind.PLAYED: _("Played"),
    StepKind.QUALIFIED: _("Qualified"),
    StepKind.FAILED: _("Failed"),
    StepKind.LIVE: _("Live"),
    StepKind.CANARY: _("Canary"),
    StepKind.BENCHED: _("Benched"),
    StepKind.RESTORED: _("Restored"),
}

TRIALS: Final[dict[str, tuple[Any, str]]] = {
    TrialState.RUNNING: (_("running"), "busy"),
    TrialState.BETTER: (_("better"), "good"),
    TrialState.NOT_BETTER: (_("not better"), "bad"),
    TrialState.UNDECIDED: (_("undecided"), ""),
    TrialState.CANCELLED: (_("cancelled"), ""),
}

CANARIES: Final[dict[str, Any]] = {
    CanaryState.RUNNING: _("running"),
    CanaryState.FINISHED: _("finished"),
    CanaryState.CANCELLED: _("cancelled"),
}

WAITS: Final[dict[str, Any]] = {
    "next": _("it is next"),
    "machine": _("no host is available"),
    "place": _("all hosts are busy"),
    "line": _("other blocks are ahead of it"),
    "share": _("other queues have used less capacity"),
    "limit": _("the limit of new games per minute is reached"),
    "remote": _("a remote bot is not connected"),
    "announced": _("it was announced for predictions"),
    "rest": _("it is waiting to be retried after a failure"),
}

BLAMES: Final[dict[str, Any]] = {
    Blame.BOT: _("caused by the bot"),
    Blame.HOST: _("caused by the host"),
    Blame.NETWORK: _("caused by the network"),
}

OUTCOMES: Final = {
    Outcome.RECORDED: _("recorded"),
    Outcome.VOID: _("void, played again"),
    Outcome.EXPIRED: _("lost contact with the worker, played again"),
    Outcome.WITHDRAWN: _("withdrawn because its host was quarantined"),
}

STATES: Final[dict[str, tuple[Any, str]]] = {
    State.CHECKING: (_("checking"), "busy"),
    State.QUALIFYING: (_("qualifying"), "busy"),
    State.QUALIFIED: (_("qualified"), "good"),
    State.FAILED: (_("failed"), "bad"),
    State.BENCHED: (_("benched"), "bad"),
    BlockState.WAITING: (_("waiting"), ""),
    BlockState.RUNNING: (_("running"), "busy"),
    BlockState.RECORDED: (_("recorded"), "good"),
    BlockState.DEAD: (_("failed"), "bad"),
    HostState.TRUSTED: (_("trusted"), "good"),
    HostState.QUARANTINED: (_("quarantined"), "bad"),
}


def owner_name(username: str) -> str:
    """Return the displayed name of a bot's owner."""
    return gettext("former author") if username == FORMER_AUTHOR else username
