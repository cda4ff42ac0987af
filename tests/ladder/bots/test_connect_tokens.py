"""The bots that may connect to referees, and their tokens."""

from __future__ import annotations

import hashlib

import pytest

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.connect_tokens import all_tokens, issue, revoke
from ladder.bot_versions import some_bot
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")


def told() -> dict[str, str]:
    return {token.bot: token.sha256 for token in all_tokens()}


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def test_the_newest_token_of_a_bot_is_good_until_it_is_void() -> None:
    bot, other = some_bot("stan"), some_bot("olga")
    issue(bot, NOW)
    newest, second = issue(bot, NOW), issue(other, NOW)
    assert told() == {"stan": digest_of(newest), "olga": digest_of(second)}
    revoke(bot, NOW)
    assert told() == {"olga": digest_of(second)}


def test_bots_of_locked_accounts_cannot_connect() -> None:
    secret = issue(some_bot("stan"), NOW)
    User.objects.update(is_active=False)
    assert told() == {}
    User.objects.update(is_active=True)
    assert told() == {"stan": digest_of(secret)}
