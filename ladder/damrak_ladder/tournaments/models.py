"""Leagues, tournaments and their log. The acts are the truth; other rows follow from them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block
from damrak_ladder.time_ordered_ids import TimeOrderedIdField, new_id
from damrak_ladder.tournaments.log.values import Phase, Release, Standing

_USER = settings.AUTH_USER_MODEL


def _choices(kind: Any) -> list[tuple[str, str]]:
    return [(str(one), str(one)) for one in kind]


class League(models.Model):
    """A sequence of seasons, each of which is a tournament."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    summary = models.CharField(max_length=300, blank=True)
    owner = models.ForeignKey(_USER, on_delete=models.PROTECT, related_name="leagues")
    rules: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    created = models.DateTimeField()
    serial = models.PositiveIntegerField(default=0)  # of the latest change

    def __str__(self) -> str:
        return self.slug


class LeagueChange(models.Model):
    """A change of the texts of a league. `changes` has the old and the new text of each field."""

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="changes")
    serial = models.PositiveIntegerField()  # from 1 within its league
    actor = models.ForeignKey(_USER, on_delete=models.PROTECT, related_name="+")
    changes: models.JSONField[dict[str, list[str]], dict[str, list[str]]] = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("league", "serial", name="league_change_once"),
        ]

    def __str__(self) -> str:
        return f"{self.league} {self.serial}"


class Tournament(models.Model):
    """A tournament. All but its identity follows from its acts, and is kept for queries."""

    id = TimeOrderedIdField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    summary = models.CharField(max_length=300, blank=True)
    owner = models.ForeignKey(_USER, on_delete=models.PROTECT, related_name="tournaments")
    league = models.ForeignKey(League, on_delete=models.PROTECT, null=True, related_name="seasons")
    season = models.PositiveIntegerField(null=True)
    secret = models.BinaryField(max_length=32)
    invitation = models.CharField(max_length=64, blank=True)  # the digest of the link's token
    created = models.DateTimeField()

    serial = models.PositiveIntegerField(default=0)  # of the latest act
    digest = models.CharField(max_length=64, blank=True)  # of the latest act
    phase = models.CharField(max_length=10, choices=_choices(Phase), default=Phase.DRAFT.value)
    visibility = models.CharField(max_length=10, default="public")
    due = models.DateTimeField(null=True)  # the next time on its schedule

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(  # a cancelled season gives its number to the next one
                fields=["league", "season"],
                condition=~models.Q(phase=Phase.CANCELLED.value),
                name="season_once",
            ),
        ]
        indexes: ClassVar = [models.Index("phase", "due", name="tournament_phase")]

    def __str__(self) -> str:
        return self.slug


class Organiser(models.Model):
    """A further organiser of a tournament, beside its owner."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(_USER, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("tournament", "user", name="organiser_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.tournament}"


class Unchangeable(Exception):
    """Acts are neither changed nor deleted."""


class ActQuerySet(models.QuerySet["Act"]):
    """A query set of acts, in which only the actor can be replaced (by a heir)."""

    def update(self, **values: Any) -> int:
        """Replace the actor.

        Raises:
            Unchangeable: another field is among the values.
        """
        if fixed := sorted(set(values) - {"actor"}):
            raise Unchangeable(f"{', '.join(fixed)} of an act cannot be changed")
        return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Raise an error, because acts are kept.

        Raises:
            Unchangeable
        """
        raise Unchangeable("acts are not deleted")


class Act(models.Model):
    """An entry of the log of a tournament. It is inserted once and never changes."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="acts")
    serial = models.PositiveIntegerField()  # from 1 within its tournament
    kind = models.CharField(max_length=20)
    payload: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    actor = models.ForeignKey(_USER, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    is_public = models.BooleanField(default=True)
    undoes = models.PositiveIntegerField(null=True)  # the serial of an earlier act
    key = models.CharField(max_length=80, blank=True)  # of idempotency
    fingerprint = models.CharField(max_length=64, blank=True)  # of the request with that key
    # The hash of this act and, through the digest of the one before, of all earlier ones.
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    objects = ActQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("tournament", "serial", name="act_serial_once"),
            models.UniqueConstraint(
                "tournament", "key", condition=~models.Q(key=""), name="act_key_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tournament} {self.serial}: {self.kind}"

    def save(self, *args: Any, **options: Any) -> None:
        """Insert the act.

        Raises:
            Unchangeable: it has been inserted before.
        """
        if not self._state.adding:
            raise Unchangeable("an act is saved once")
        super().save(*args, **options)


class Entrant(models.Model):
    """A bot in a tournament, with the version that plays for it."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entrants")
    number = models.PositiveIntegerField()  # from 1 within its tournament
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entrants")
    version = models.ForeignKey(
        Version, on_delete=models.PROTECT, null=True, related_name="entrants"
    )
    owner = models.ForeignKey(_USER, on_delete=models.PROTECT, related_name="entrants")
    is_guest = models.BooleanField(default=False)
    standing = models.CharField(
        max_length=12, choices=_choices(Standing), default=Standing.IN.value
    )
    seed = models.PositiveIntegerField(null=True)
    entered = models.DateTimeField()
    absent_since = models.DateTimeField(null=True)  # a remote bot that is not connected

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("tournament", "number", name="entrant_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} in {self.tournament}"


class Stage(models.Model):
    """A stage that has begun."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()  # from 0 within its tournament

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("tournament", "number", name="stage_number_once"),
        ]

    def __str__(self) -> str:
        return f"stage {self.number} of {self.tournament}"


class Round(models.Model):
    """A paired round. A rollback opens a new generation; the earlier one is kept."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()  # from 1 within its stage
    generation = models.PositiveIntegerField(default=0)  # the serial of the rollback
    serial = models.PositiveIntegerField()  # of the act that paired it
    paired = models.DateTimeField()
    is_current = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("stage", "number", "generation", name="round_once"),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.stage}"


class Pairing(models.Model):
    """Entrants that meet in a round; a single one has a bye."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    table = models.PositiveSmallIntegerField()  # from 1 within its round
    release = models.CharField(
        max_length=10, choices=_choices(Release), default=Release.HIDDEN.value
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("round", "table", name="table_once"),
        ]

    def __str__(self) -> str:
        return f"table {self.table} of {self.round}"


class PairingEntrant(models.Model):
    """An entrant of a pairing."""

    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="sides")
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="pairings")
    number = models.PositiveSmallIntegerField()  # from 0 within its pairing

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("pairing", "number", name="pairing_side_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entrant} at {self.pairing}"


class PairingBlock(models.Model):
    """A block of a pairing. A replay by ruling is another block, of the next take."""

    pairing = models.ForeignKey(Pairing, on_delete=models.CASCADE, related_name="blocks")
    # Also known from the pairing: the gate, a part of most queries, needs two joins fewer.
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField()  # from 1 within its pairing
    take = models.PositiveIntegerField(default=0)  # the serial of the act that ordered the replay
    block = models.OneToOneField(Block, on_delete=models.CASCADE, related_name="pairing_block")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("pairing", "number", "take", name="pairing_block_once"),
        ]

    def __str__(self) -> str:
        return f"{self.block} of {self.pairing}"


class BlockResult(models.Model):
    """The result of a recorded block: appended when it is settled."""

    pairing_block = models.OneToOneField(
        PairingBlock, on_delete=models.CASCADE, related_name="result"
    )
    attempt = models.PositiveIntegerField()
    # For each game, in the order of the pairing's entrants: places, points and faults.
    games: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"result of {self.pairing_block}"
