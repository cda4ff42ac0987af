"""The database tables of games of people.

They contain everything that is needed to go on after any process was killed. Nothing in them says
who a person is: a chair belongs to the browser whose secret has this digest, or to the user whose
programs have this key. Chairs and messages are deleted some time after the game.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block


class OpenBot(models.Model):
    """The author's permission that people play against a bot. House bots need none."""

    bot = models.OneToOneField(Bot, on_delete=models.CASCADE, related_name="open_to_people")
    since = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.bot} plays people"


class Game(models.Model):
    """A game of people, from the choice of opponents until some days after its end."""

    code = models.CharField(max_length=16, unique=True)  # in its address; random
    board = models.CharField(max_length=200)
    pace = models.CharField(max_length=12)
    block = models.OneToOneField(
        Block, on_delete=models.PROTECT, null=True, related_name="people_game"
    )  # null until every person has come
    source = models.CharField(max_length=64, blank=True)  # keyed hash of the address, while it runs
    created = models.DateTimeField()
    over = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index("source", name="game_source", condition=models.Q(over=None)),
        ]

    def __str__(self) -> str:
        return f"game {self.code}"


class Chair(models.Model):
    """A seat of a game: of a bot, or of a person.

    A person's question and answer are a mailbox between the relay and the site: the relay writes
    `asked`, the site writes `choice` once for each question, and the relay passes it on.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="chairs")
    number = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    is_person = models.BooleanField(default=False)
    key = models.CharField(max_length=64, blank=True)  # of its browser, or of its user's programs
    has_left = models.BooleanField(default=False)

    attempt = models.PositiveIntegerField(default=0)  # at the block; what follows belongs to it
    ticket = models.CharField(max_length=200, blank=True)  # for the next connection to the seat
    heard = models.PositiveIntegerField(default=0)  # number of messages of the referee
    asked = models.PositiveBigIntegerField(null=True)  # the open decision
    question = models.PositiveIntegerField(null=True)  # the number of the message that asks
    choice = models.PositiveIntegerField(null=True)  # the action chosen for it

    # A wish for advice on the open question, and its fulfilment.
    wish = models.CharField(max_length=12, blank=True)  # a kind of advice
    advice = models.PositiveIntegerField(null=True)  # the action
    advices = models.PositiveSmallIntegerField(default=0)  # wishes in the whole game

    # A take-back: the next attempt repeats the answers before the one that was taken back.
    takes_back = models.BooleanField(default=False)  # the wish
    script = models.JSONField(default=dict, blank=True)  # actions to repeat, by decision
    backs = models.JSONField(default=dict, blank=True)  # number of take-backs, by decision

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("game", "number", name="chair_number_once"),
        ]
        indexes: ClassVar = [
            models.Index("key", name="chair_key", condition=~models.Q(key="")),
        ]

    def __str__(self) -> str:
        return f"chair {self.number} of {self.game_id}"


class Heard(models.Model):
    """A message of the referee to a person's seat, as it was sent: only what the seat may see."""

    chair = models.ForeignKey(Chair, on_delete=models.CASCADE, related_name="messages")
    attempt = models.PositiveIntegerField()
    number = models.PositiveIntegerField()  # from 0 within the attempt
    data = models.BinaryField()
    at = models.DateTimeField()
    asks = models.PositiveBigIntegerField(null=True)  # the decision that it asks for
    answer = models.PositiveIntegerField(null=True)  # the action chosen for it

    class Meta:
        verbose_name_plural = "heard"
        constraints: ClassVar = [
            models.UniqueConstraint("chair", "attempt", "number", name="message_number_once"),
        ]

    def __str__(self) -> str:
        return f"message {self.number} to {self.chair_id}"
