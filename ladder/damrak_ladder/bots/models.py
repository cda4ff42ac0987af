"""Models of bots, their versions, promotions, journeys and tokens."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

from damrak_ladder.bots.errors import Frozen
from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.message_codes.model_field import MessageField
from damrak_ladder.stores.rows import Content

SLUG: Final = r"\A[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?\Z"
"""The pattern of bot names: up to 40 lower-case letters, digits and inner hyphens."""


class Kind(models.TextChoices):
    """How a version takes part."""

    UPLOADED = "uploaded"  # an archive that runs in our sandbox
    REMOTE = "remote"  # connects from elsewhere
    HOUSE = "house"  # part of the platform
    PERSON = "person"  # a person, whose seat the relay holds


class State(models.TextChoices):
    """The state of a version. Whether it is live is a field of its bot."""

    CHECKING = "checking"
    QUALIFYING = "qualifying"
    QUALIFIED = "qualified"
    FAILED = "failed"
    BENCHED = "benched"


NEXT: Final[dict[State, frozenset[State]]] = {
    State.CHECKING: frozenset({State.QUALIFYING, State.FAILED}),
    State.QUALIFYING: frozenset({State.QUALIFIED, State.FAILED}),
    State.QUALIFIED: frozenset({State.BENCHED}),
    # If the host was not trustworthy. A remote version that has failed may also connect again.
    State.FAILED: frozenset({State.QUALIFYING}),
    State.BENCHED: frozenset({State.QUALIFIED}),
}


class Bot(models.Model):
    """A named series of versions, of which at most one is live."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="bots"
    )
    slug = models.CharField(max_length=40, unique=True, validators=[RegexValidator(SLUG)])
    name = models.CharField(max_length=60)
    live = models.OneToOneField(
        "Version", on_delete=models.PROTECT, null=True, related_name="live_in"
    )
    created = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class VersionQuerySet(models.QuerySet["Version"]):
    """A query set of versions that only changes their standing."""

    def update(self, **values: Any) -> int:
        """Change the standing of these versions.

        Raises:
            Frozen: another field is among the values.
        """
        if fixed := sorted(set(values) - set(Version.STANDING)):
            raise Frozen(codes.FrozenFields(tuple(fixed)))
        return super().update(**values)


class Version(models.Model):
    """A submission. Only its standing can change, all other fields are fixed."""

    STANDING: ClassVar = ("state", "reason", "evidence", "changed")

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()  # from 1 within its bot
    kind = models.CharField(max_length=10, choices=Kind)
    content = models.CharField(max_length=64)  # SHA-256 of the archive, or of `spec`
    spec = models.CharField(max_length=200, blank=True)  # of a house bot; software of a remote one
    language = models.CharField(max_length=30, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    note = models.CharField(max_length=500, blank=True)
    goes_live = models.BooleanField(default=True)  # once qualified; else it is a canary first
    created = models.DateTimeField()

    state = models.CharField(max_length=12, choices=State, default=State.CHECKING)
    reason = MessageField()  # why it failed or was benched
    evidence: models.JSONField[Any, Any] = models.JSONField(default=dict)
    changed = models.DateTimeField()

    objects = VersionQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("bot", "number", name="version_number_once"),
            models.UniqueConstraint("bot", "content", name="version_content_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.slug}-{self.number}"

    def save(self, *args: Any, **options: Any) -> None:
        """Insert the version.

        Raises:
            Frozen: it has been inserted before.
        """
        if not self._state.adding:
            raise Frozen(codes.SavedOnce())
        super().save(*args, **options)


class Promotion(models.Model):
    """A change of a bot's live version: an append-only ledger."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="promotions")
    before = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    after = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.bot}: {self.before} to {self.after}"


class StepKind(models.TextChoices):
    """The kinds of steps in a version's journey."""

    RECEIVED = "received"
    CHECKED = "checked"
    REFUSED = "refused"
    QUEUED = "queued"
    PLAYING = "playing"
    PLAYED = "played"
    QUALIFIED = "qualified"
    FAILED = "failed"
    LIVE = "live"
    CANARY = "canary"
    BENCHED = "benched"
    RESTORED = "restored"


class Step(models.Model):
    """A step in a version's journey, shown to its owner: append-only."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="steps")
    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=StepKind)
    message = MessageField()
    detail: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.version}: {self.kind}"


class ConnectToken(models.Model):
    """A token with which a remote program connects as this bot. Only its digest is stored."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="connect_tokens")
    digest = models.CharField(max_length=64, unique=True)  # SHA-256, in hexadecimal
    hint = models.CharField(max_length=16)
    created = models.DateTimeField()
    revoked = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                "bot", condition=models.Q(revoked=None), name="connect_token_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot}: {self.hint}…"


class StoredArchive(Content):
    """An archive under its own hash, for installations that keep them in the database."""
