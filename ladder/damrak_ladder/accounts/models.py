"""Users, and tokens for programs."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.db import models
from django.db.models.functions import Lower

FORMER_AUTHOR: Final = "former-author"
"""The name of the account to which the bots of deleted accounts belong. It cannot be used."""


class Role(models.TextChoices):
    """What somebody may do; each may do all that those before may."""

    AUTHOR = "author"
    ORGANISER = "organiser"
    STAFF = "staff"


class User(AbstractUser):
    """Somebody with an account."""

    # Letters of other scripts look like these, so that somebody could pass for another.
    username = models.CharField(max_length=150, unique=True, validators=[ASCIIUsernameValidator()])
    # The highest role is Django's own flag, so that there is one truth about it.
    is_organiser = models.BooleanField(default=False)
    language = models.CharField(max_length=7, default="en")  # that of mails, and of notices

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("username"), name="user_name_once"),
            models.UniqueConstraint(
                Lower("email"), condition=~models.Q(email=""), name="user_email_once"
            ),
        ]

    @property
    def role(self) -> Role:
        """The highest role."""
        if self.is_staff:
            return Role.STAFF
        return Role.ORGANISER if self.is_organiser else Role.AUTHOR


class Scope(models.TextChoices):
    """What a token lets a program do."""

    READ = "read"  # see what its owner sees
    SUBMIT = "submit"  # make bots and versions
    PLAY = "play"  # connect a remote bot
    ORGANISE = "organise"  # what an organiser may, if its owner is one


class ApiToken(models.Model):
    """A token of a program. The token itself is known to its owner only."""

    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    scopes: models.JSONField[list[str], list[str]] = models.JSONField()
    digest = models.CharField(max_length=64, unique=True)  # SHA-256, in hexadecimal
    hint = models.CharField(max_length=16)  # how it begins, to tell it from others
    created = models.DateTimeField()
    expires = models.DateTimeField(null=True)
    revoked = models.DateTimeField(null=True)
    last_used = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                "owner", "name", condition=models.Q(revoked=None), name="api_token_name_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    def is_good(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class DeviceState(models.TextChoices):
    """What became of a program's request to be let in."""

    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"
    COLLECTED = "collected"


class DeviceLogin(models.Model):
    """A program asks to act for whoever approves it. Its codes are known to it only."""

    long_digest = models.CharField(max_length=64, unique=True)
    short_digest = models.CharField(max_length=64, db_index=True)
    name = models.CharField(max_length=60)  # what it says of itself
    address = models.CharField(max_length=60)  # where it asked from
    scopes: models.JSONField[list[str], list[str]] = models.JSONField()
    created = models.DateTimeField()
    expires = models.DateTimeField(db_index=True)
    state = models.CharField(max_length=10, choices=DeviceState, default=DeviceState.WAITING)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.name} from {self.address}: {self.state}"
