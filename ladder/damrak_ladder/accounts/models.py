"""Models of users, API tokens and device logins."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.db import models
from django.db.models.functions import Lower

FORMER_AUTHOR: Final = "former-author"
"""The account that owns the bots of deleted accounts. It cannot be used to sign in."""


class Role(models.TextChoices):
    """The roles of users; each includes all earlier ones."""

    AUTHOR = "author"
    ORGANISER = "organiser"
    STAFF = "staff"


class User(AbstractUser):
    """A person with an account."""

    # ASCII only: similar letters of other scripts would allow impersonation.
    username = models.CharField(max_length=150, unique=True, validators=[ASCIIUsernameValidator()])
    # The highest role is Django's own flag, so that it is stored only once.
    is_organiser = models.BooleanField(default=False)
    language = models.CharField(max_length=7, default="en")  # of mails and notices
    hides_results = models.BooleanField(default=False, db_default=False)  # on pages and in mails

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("username"), name="user_name_once"),
            models.UniqueConstraint(
                Lower("email"), condition=~models.Q(email=""), name="user_email_once"
            ),
        ]

    @property
    def role(self) -> Role:
        """Return the highest role."""
        if self.is_staff:
            return Role.STAFF
        return Role.ORGANISER if self.is_organiser else Role.AUTHOR


class Scope(models.TextChoices):
    """The permissions of a token."""

    READ = "read"  # see all that its owner sees
    SUBMIT = "submit"  # create bots and versions
    PLAY = "play"  # connect a remote bot
    ORGANISE = "organise"  # act as an organiser, if its owner is one
    SETTINGS = "settings"  # change notices, the webhook and the language
    TOURNAMENTS_RUN = "tournaments:run"  # create and run tournaments
    ROLES = "roles"  # change the roles of users, if its owner is staff
    TOURNAMENTS_READ_HIDDEN = "tournaments:read-hidden"  # see results before their release


class ApiToken(models.Model):
    """The token of a program. Only its digest is stored."""

    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    scopes: models.JSONField[list[str], list[str]] = models.JSONField()
    digest = models.CharField(max_length=64, unique=True)  # SHA-256, in hexadecimal
    hint = models.CharField(max_length=16)  # its first characters, to recognise it
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
        """Return whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now < self.expires)


class IdempotencyKey(models.Model):
    """A key of a request, with the answer once there is one (idempotency.py)."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="idempotency_keys")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)  # SHA-256 of the request
    created = models.DateTimeField(db_index=True)
    lease_until = models.DateTimeField(null=True)  # while the request is processed
    answer = models.BinaryField(null=True)  # encrypted

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("token", "key", name="idempotency_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.token}"


class DeviceState(models.TextChoices):
    """The state of a program's sign-in request."""

    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"
    COLLECTED = "collected"


class DeviceLogin(models.Model):
    """A program's request to act for a user. Only digests of its codes are stored."""

    long_digest = models.CharField(max_length=64, unique=True)
    short_digest = models.CharField(max_length=64, db_index=True)
    name = models.CharField(max_length=60)  # given by the program
    address = models.CharField(max_length=60)  # the address of the request
    scopes: models.JSONField[list[str], list[str]] = models.JSONField()
    created = models.DateTimeField()
    expires = models.DateTimeField(db_index=True)
    state = models.CharField(max_length=10, choices=DeviceState, default=DeviceState.WAITING)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.name} from {self.address}: {self.state}"
