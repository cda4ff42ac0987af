"""Named types of the description: every enumeration and every free-form object has a name.

A named type is defined once in the OpenAPI description, so that generated clients get one class or
alias for it. Enumerations of answers list the values of this version; later versions may add some.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from django.db.models import TextChoices
from pydantic import Field
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from damrak_ladder.accounts import models as accounts
from damrak_ladder.analyses import models as analyses
from damrak_ladder.bots import models as bots
from damrak_ladder.highlights import models as highlights
from damrak_ladder.matches import hosts, models as matches
from damrak_ladder.message_codes import puzzle_codes, story_codes
from damrak_ladder.notices import kinds as notices
from damrak_ladder.play.advice import ADVISERS
from damrak_ladder.play.paces import PACES
from damrak_ladder.security import kinds as security
from damrak_ladder.standings import models as standings
from damrak_ladder.trials import models as trials


def one_of(choices: type[TextChoices] | type[StrEnum]) -> FieldInfo:
    """Return a field whose description lists the values of an enumeration."""
    return among(*(str(one.value) for one in choices))


def among(*values: str) -> FieldInfo:
    """Return a field whose description lists these values."""
    found: FieldInfo = Field(json_schema_extra={"enum": list(values)})
    return found


BlockState = TypeAliasType("BlockState", Annotated[str, one_of(matches.BlockState)])
Purpose = TypeAliasType("Purpose", Annotated[str, one_of(matches.Purpose)])
VersionKind = TypeAliasType("VersionKind", Annotated[str, one_of(bots.Kind)])
VersionState = TypeAliasType("VersionState", Annotated[str, one_of(bots.State)])
StepKind = TypeAliasType("StepKind", Annotated[str, one_of(bots.StepKind)])
AnalysisState = TypeAliasType("AnalysisState", Annotated[str, one_of(analyses.AnalysisState)])
TrialState = TypeAliasType("TrialState", Annotated[str, one_of(trials.TrialState)])
CanaryState = TypeAliasType("CanaryState", Annotated[str, one_of(trials.CanaryState)])
HostState = TypeAliasType("HostState", Annotated[str, one_of(matches.HostState)])
HostStatus = TypeAliasType("HostStatus", Annotated[str, one_of(hosts.HostStatus)])
Role = TypeAliasType("Role", Annotated[str, one_of(accounts.Role)])
Scope = TypeAliasType("Scope", Annotated[str, one_of(accounts.Scope)])
Channel = TypeAliasType("Channel", Annotated[str, one_of(notices.Channel)])
NoticeKind = TypeAliasType("NoticeKind", Annotated[str, one_of(notices.Kind)])
SecurityEvent = TypeAliasType("SecurityEvent", Annotated[str, one_of(security.SecurityEvent)])

StoryKind = TypeAliasType("StoryKind", Annotated[str, one_of(highlights.StoryKind)])
NotableKind = TypeAliasType("NotableKind", Annotated[str, one_of(standings.NotableKind)])
RecordKind = TypeAliasType("RecordKind", Annotated[str, one_of(highlights.RecordKind)])
FeaturedReason = TypeAliasType(
    "FeaturedReason",
    Annotated[
        str,
        among(
            story_codes.FeaturedFollowed.code,
            story_codes.FeaturedFinal.code,
            story_codes.FeaturedTournament.code,
            story_codes.FeaturedTitle.code,
            story_codes.FeaturedClose.code,
        ),
    ],
)
PuzzleReasonCode = TypeAliasType(
    "PuzzleReasonCode",
    Annotated[
        str,
        among(
            puzzle_codes.ScoresAtOnce.code,
            puzzle_codes.BringsGoods.code,
            puzzle_codes.FulfilsContract.code,
            puzzle_codes.FreeRoutes.code,
        ),
    ],
)
Pace = TypeAliasType("Pace", Annotated[str, among(*PACES)])
Advice = TypeAliasType("Advice", Annotated[str, among(*ADVISERS)])

GameOptions = TypeAliasType("GameOptions", dict[str, Any])
"""Options of the rules, by name."""
TimeControl = TypeAliasType("TimeControl", dict[str, Any])
"""Time limits of a game; durations are in milliseconds."""
StepDetail = TypeAliasType("StepDetail", dict[str, Any])
"""Figures of a step, which depend on its kind."""
AnalysisContent = TypeAliasType("AnalysisContent", dict[str, Any])
"""The result of an analysis, as documented in analysis.md."""
Shares = TypeAliasType("Shares", dict[str, float])
"""Shares from 0 to 1, by name."""
EloBySpec = TypeAliasType("EloBySpec", dict[str, float])
"""Figures in Elo, by the specification of a house bot."""
