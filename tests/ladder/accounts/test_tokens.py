"""API tokens give programs access within the scopes and the lifetime that their owners set."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext

from damrak_ladder.accounts.errors import (
    TokenNameTaken,
    TokenRefused,
    TooManyTokens,
    UnknownScope,
)
from damrak_ladder.accounts.models import ApiToken, Scope
from damrak_ladder.accounts.tokens import USE_NOTED_EVERY, issue, revoke, verify
from ladder.people import NOW, somebody

pytestmark = pytest.mark.usefixtures("database")


def test_token_opens_what_it_was_made_for() -> None:
    ann = somebody()
    _, secret = issue(ann, "laptop", [Scope.SUBMIT], NOW)
    assert verify(secret, Scope.SUBMIT, NOW).owner == ann
    with pytest.raises(TokenRefused, match="lacks the scope play"):
        verify(secret, Scope.PLAY, NOW)


def test_secret_is_stored_nowhere() -> None:
    token, secret = issue(somebody(), "laptop", [Scope.READ], NOW)
    stored = str(model_to_dict(ApiToken.objects.get(pk=token.pk)))
    assert secret not in stored
    assert secret.startswith(token.hint)
    assert len(secret) - len(token.hint) > 32


@pytest.mark.parametrize("secret", ["", "damrak_", "damrak_" + "A" * 43, "ü"])
def test_stranger_is_refused(secret: str) -> None:
    issue(somebody(), "laptop", [Scope.READ], NOW)
    with pytest.raises(TokenRefused):
        verify(secret, Scope.READ, NOW)


def test_expired_token_is_refused() -> None:
    _, secret = issue(somebody(), "laptop", [Scope.READ], NOW, timedelta(days=1))
    verify(secret, Scope.READ, NOW + timedelta(hours=23))
    with pytest.raises(TokenRefused):
        verify(secret, Scope.READ, NOW + timedelta(days=1))


def test_revoked_token_is_refused() -> None:
    ann = somebody()
    token, secret = issue(ann, "laptop", [Scope.READ], NOW)
    assert revoke(ann, token.pk, NOW)
    assert not revoke(ann, token.pk, NOW)
    with pytest.raises(TokenRefused):
        verify(secret, Scope.READ, NOW)


def test_no_user_revokes_the_token_of_another() -> None:
    token, secret = issue(somebody(), "laptop", [Scope.READ], NOW)
    assert not revoke(somebody("bob"), token.pk, NOW)
    verify(secret, Scope.READ, NOW)


def test_token_of_a_locked_account_is_refused() -> None:
    ann = somebody()
    _, secret = issue(ann, "laptop", [Scope.READ], NOW)
    ann.is_active = False
    ann.save()
    with pytest.raises(TokenRefused):
        verify(secret, Scope.READ, NOW)


def test_name_is_free_again_after_revocation() -> None:
    ann = somebody()
    token, _ = issue(ann, "laptop", [Scope.READ], NOW)
    with pytest.raises(TokenNameTaken):
        issue(ann, "laptop", [Scope.READ], NOW)
    revoke(ann, token.pk, NOW)
    issue(ann, "laptop", [Scope.READ], NOW)


@pytest.mark.parametrize("scopes", [[], ["fly"], [Scope.READ, "fly"]])
def test_scopes_are_known_ones(scopes: list[str]) -> None:
    with pytest.raises(UnknownScope, match="read, submit, play, organise"):
        issue(somebody(), "laptop", scopes, NOW)


def test_tokens_are_limited() -> None:
    ann = somebody()
    for number in range(20):
        issue(ann, f"laptop {number}", [Scope.READ], NOW)
    with pytest.raises(TooManyTokens):
        issue(ann, "one more", [Scope.READ], NOW)


def test_last_use_is_noted_but_not_at_every_request() -> None:
    _, secret = issue(somebody(), "laptop", [Scope.READ], NOW)
    assert verify(secret, Scope.READ, NOW).last_used == NOW
    for seconds in range(1, 5):
        with CaptureQueriesContext(connection) as queries:
            verify(secret, Scope.READ, NOW + timedelta(seconds=seconds))
        assert len(queries) == 1
    later = NOW + USE_NOTED_EVERY
    assert verify(secret, Scope.READ, later).last_used == later


def test_work_does_not_grow_with_the_number_of_tokens() -> None:
    ann = somebody()
    secrets = [issue(ann, f"laptop {number}", [Scope.READ], NOW)[1] for number in range(20)]
    for secret in [*secrets, "damrak_unknown"]:
        with CaptureQueriesContext(connection) as queries:
            try:
                verify(secret, Scope.READ, NOW)
            except TokenRefused:
                assert len(queries) == 1
            else:
                assert len(queries) == 2
