"""Who may see and do what: every address of the site, asked by everybody.

An address that nobody has decided about fails, and so does a decision about none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import pytest
from allauth.usersessions.models import UserSession
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Ladder, Match, Seat
from damrak_ladder.notices.stopping import stop_path
from damrak_ladder.trials.sequential import Bounds, start
from ladder_django.people import somebody
from ladder_django.sites import fill
from ladder_django.visitors import visitor

NOBODY, STRANGER, OWNER, ORGANISER, STAFF = "nobody", "stranger", "owner", "organiser", "staff"
EVERYBODY = frozenset({NOBODY, STRANGER, OWNER, ORGANISER, STAFF})
SIGNED_IN = EVERYBODY - {NOBODY}
INSIDE = frozenset({OWNER, STAFF})
ORGANISERS = frozenset({ORGANISER, STAFF})
ALONE = frozenset({OWNER})
STAFF_ONLY = frozenset({STAFF})
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Decision:
    """Who may look, who may change something there, and with which form that would be tried."""

    look: frozenset[str]
    change: frozenset[str] = NONE
    form: dict[str, Any] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)
    asked: str = ""


def to_look(look: frozenset[str], asked: str = "", **where: str) -> Decision:
    return Decision(look, where=where, asked=asked)


def to_change(
    look: frozenset[str], change: frozenset[str], form: dict[str, Any], **where: str
) -> Decision:
    return Decision(look, change, form, where)


MATCH: Final = {"pk": "match"}
SEAT: Final = {"pk": "match", "number": "seat"}
LADDER: Final = {"slug": "ladder"}
BOT: Final = {"slug": "bot"}
VERSION: Final = {"slug": "bot", "number": "version"}

DECISIONS: Final[dict[str, Decision]] = {
    # What everybody may read.
    **dict.fromkeys(
        (
            *(
                "security_txt",
                "robots",
                "sitemaps",
                "replay-files:colours",
                "guides:rules",
                "guides:documents",
            ),
            *(
                "web:home",
                "web:ladders",
                "web:compare",
                "web:queue",
                "web:hosts",
                "web:search",
                "web:runtime",
            ),
            *("web:live_table", "feeds:all"),
        ),
        to_look(EVERYBODY),
    ),
    **dict.fromkeys(
        (
            *("web:match", "replays:embed", "replays:verify"),
            *(
                "replay-files:position",
                "replay-files:position_pixels",
                "replay-files:film",
                "replay-files:film_pixels",
            ),
            *("replay-files:card", "replay-files:download", "replay-files:live"),
        ),
        to_look(EVERYBODY, **MATCH),
    ),
    **dict.fromkeys(
        (
            *("web:ladder", "web:ladder_blocks", "web:ladder_matrix"),
            "web:ladder_knockout",
            *("feeds:ladder", "feeds:ladder_blocks"),
        ),
        to_look(EVERYBODY, **LADDER),
    ),
    **dict.fromkeys(("web:bot", "feeds:bot"), to_look(EVERYBODY, **BOT)),
    "web:version": to_look(EVERYBODY, **VERSION),
    "web:person": to_look(EVERYBODY, name="person"),
    "web:block": to_look(EVERYBODY, pk="block"),
    "sitemap": to_look(EVERYBODY, section="section"),
    "document_picture": to_look(EVERYBODY, name="picture"),
    "guides:document": to_look(EVERYBODY, name="document"),
    "replay-files:moments": to_look(EVERYBODY, pk="match", eyes="eyes"),
    "replay-files:oembed": to_look(EVERYBODY, asked="url=http://127.0.0.1/en/matches/{match}/"),
    # What everybody may do, to himself only.
    "choose_language": to_change(NONE, EVERYBODY, {"language": "da", "next": "/"}),
    "replays:insight": to_change(EVERYBODY, EVERYBODY, {}, **MATCH),
    "web:theme": to_change(NONE, EVERYBODY, {"theme": "dark", "next": "/"}),
    "stop_mails": to_change(EVERYBODY, EVERYBODY, {}, token="stop"),
    # What is for whoever has signed in.
    "web:desk": to_look(SIGNED_IN),
    "web:device": to_change(SIGNED_IN, SIGNED_IN, {"code": "BCDF-GHJK", "refuse": "1"}),
    "web:desk_submit": to_change(SIGNED_IN, SIGNED_IN, {"name": "new-bot"}),
    "web:desk_remote": to_change(SIGNED_IN, SIGNED_IN, {"name": "new-bot", "software": "x 1"}),
    "web:desk_tests": to_change(SIGNED_IN, SIGNED_IN, {}),
    "web:desk_tokens": to_change(SIGNED_IN, SIGNED_IN, {"name": "ci", "scopes": ["read"]}),
    "web:desk_notices": to_look(SIGNED_IN),
    "web:desk_read_notices": to_change(NONE, SIGNED_IN, {}),
    "web:desk_set_rules": to_change(NONE, SIGNED_IN, {}),
    "web:desk_webhook": to_change(NONE, SIGNED_IN, {"do": "set", "url": "https://93.184.215.14/"}),
    "web:second_factor": to_look(SIGNED_IN),
    "web:account_data": to_look(SIGNED_IN),
    "web:download_data": to_change(NONE, SIGNED_IN, {}),
    "web:delete_account": to_change(SIGNED_IN, SIGNED_IN, {"name": "another"}),
    # What belongs to somebody.
    "web:end_session": to_change(NONE, ALONE, {}, pk="session"),
    "web:desk_bot": to_look(INSIDE, **BOT),
    "web:desk_version": to_look(INSIDE, **VERSION),
    "web:desk_make_live": to_change(INSIDE, INSIDE, {}, **VERSION),
    "web:desk_qualify_again": to_change(NONE, INSIDE, {}, **VERSION),
    "web:desk_canary": to_change(NONE, INSIDE, {"do": "begin"}, **VERSION),
    "web:desk_entry": to_change(NONE, INSIDE, {"do": "leave"}, slug="bot", ladder="ladder"),
    "web:desk_connect_token": to_change(ALONE, ALONE, {}, **BOT),
    "web:desk_test": to_look(INSIDE, pk="trial"),
    "web:desk_cancel_test": to_change(INSIDE, INSIDE, {}, pk="trial"),
    "web:desk_revoke_token": to_change(ALONE, ALONE, {}, pk="token"),
    "web:seat_log": to_look(INSIDE, **SEAT),
    "web:seat_bundle": to_look(NONE, **SEAT),  # there is none for a seat without a fault
    # What organisers look after.
    "web:organise": to_look(ORGANISERS),
    "web:requeue_block": to_change(NONE, ORGANISERS, {}, pk="dead"),
    "web:security_log": to_look(frozenset({STAFF})),
    "web:trust_host": to_change(ORGANISERS, ORGANISERS, {}, pk="host"),
    # What only staff may do.
    "web:users": to_look(STAFF_ONLY),
    "web:change_role": to_change(STAFF_ONLY, STAFF_ONLY, {"role": "organiser"}, pk="user"),
}

ELSEWHERE: Final = frozenset({"replay-files:live"})
"""What ends the connection through which a test sees what it does; it is asked in another test."""

OF_THE_PACKAGE: Final = {
    # Open to whoever has not signed in.
    **dict.fromkeys(
        (
            *("account_login", "account_signup", "account_inactive", "account_reset_password"),
            *("account_email_verification_sent", "account_reset_password_done"),
            *("account_reset_password_from_key_done", "account_confirm_email"),
            *("account_reset_password_from_key", "account_logout", "mfa_authenticate"),
            "account_confirm_login_code",
        ),
        True,
    ),
    **dict.fromkeys(
        (
            *("account_reauthenticate", "account_email", "account_change_password"),
            *("account_set_password", "mfa_index", "mfa_reauthenticate", "mfa_activate_totp"),
            *("mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
            "mfa_download_recovery_codes",
            "usersessions_list",
        ),
        False,
    ),
}


def names_of(patterns: Any, inside: str = "") -> Iterator[str]:
    """The name of every page and file; what is for programs has tests of its own."""
    for one in patterns:
        if not isinstance(one, URLPattern):
            if one.namespace != "api":
                within = f"{one.namespace}:" if one.namespace else inside
                yield from names_of(one.url_patterns, within)
        else:
            assert one.name, one
            yield f"{inside}{one.name}"


@dataclass
class Site:
    """All who ask, and what they ask for."""

    clients: dict[str, Client]
    values: dict[str, Any]

    def asked(self) -> Iterator[tuple[str, Decision, str, Client]]:
        """Every address, by everybody; what all may read and nobody change, by two of them."""
        for name, decision in DECISIONS.items():
            is_open = decision.look == EVERYBODY and not decision.change
            for who in (NOBODY, OWNER) if is_open else self.clients:
                if name not in ELSEWHERE:
                    yield name, decision, who, self.clients[who]

    def path(self, name: str) -> str:
        decision = DECISIONS[name]
        given = {key: self.values[value] for key, value in decision.where.items()}
        asked = decision.asked.format(**self.values)
        return reverse(name, kwargs=given) + (f"?{asked}" if asked else "")


@contextmanager
def undone() -> Iterator[CaptureQueriesContext]:
    """What is done is seen, and undone."""
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        yield captured
        transaction.set_rollback(True)


def writes(captured: CaptureQueriesContext) -> list[str]:
    """What was changed, except for requests for analyses, entries of the security log, and when a
    session was last used."""
    every = (query["sql"] for query in captured.captured_queries)
    changes = (sql for sql in every if sql.startswith(("INSERT", "UPDATE", "DELETE")))
    return [sql for sql in changes if not re.search('"(analyses|security|usersessions)_', sql)]


def is_in(answer: HttpResponseBase) -> bool:
    """Whether somebody was let in, rather than refused or asked to sign in."""
    if answer.status_code in (302, 303):
        return "/accounts/login/" not in answer.headers["Location"]
    assert answer.status_code in (200, 204, 403, 404, 405), answer
    return answer.status_code < 300


# Who may do what depends on no database, and all of this on two would take long.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def site(database: None) -> Site:
    now = timezone.now()
    fill(now, blocks=2, replays=2)
    olga = somebody("olga")
    grant(olga, Role.ORGANISER)
    people = {STRANGER: "bo", OWNER: "ada", ORGANISER: "olga", STAFF: "sam"}
    clients = {NOBODY: visitor()} | {who: visitor(name) for who, name in people.items()}
    ada = User.objects.get(username="ada")
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    baseline = Version.objects.get(bot__slug="canal-rat", number=1)
    ladder = Ladder.objects.get(slug="amsterdam")
    seat = Seat.objects.filter(match__block__state=BlockState.RECORDED).earliest("pk")
    Seat.objects.filter(pk=seat.pk).update(version=version)
    session = UserSession.objects.create(user=ada, session_key="elsewhere", ip="192.0.2.1")
    token, _ = issue(ada, "laptop", ["read"], now, timedelta(days=1))
    return Site(
        clients,
        {
            "match": seat.match_id,
            "seat": seat.number,
            "ladder": ladder.slug,
            "bot": version.bot.slug,
            "version": version.number,
            "person": "ada",
            "block": Match.objects.get(pk=seat.match_id).block_id,
            "dead": Block.objects.get(state=BlockState.DEAD).pk,
            "host": Host.objects.get(state=HostState.QUARANTINED).pk,
            "trial": start(ada, version, baseline, ladder, Bounds(), now).pk,
            "token": token.pk,
            "session": session.pk,
            "user": User.objects.get(username="bo").pk,
            "stop": stop_path(ada).strip("/").rpartition("/")[2],
            "section": "bots",
            "picture": "images/amsterdam.svg",
            "document": "api",
            "eyes": "all",
        },
    )


@pytest.mark.usefixtures("database")
def test_somebody_has_decided_about_every_address() -> None:
    # Some pages of the package have a stricter pattern of ours before them, of the same name.
    names = sorted(set(names_of(get_resolver().url_patterns)))
    assert names == sorted([*DECISIONS, *OF_THE_PACKAGE])


def test_everybody_sees_what_is_for_his_eyes_and_looking_changes_nothing(site: Site) -> None:
    for name, decision, who, client in site.asked():
        with undone() as captured:
            answer = client.get(site.path(name))
        assert is_in(answer) == (who in decision.look), (name, who, answer.status_code)
        assert not writes(captured), (name, who)
        if decision.look != EVERYBODY:
            kept = answer.headers["Cache-Control"]
            assert "private" in kept or "no-store" in kept, (name, kept)


def test_nobody_changes_what_he_may_not(site: Site) -> None:
    for name, decision, who, client in site.asked():
        with undone() as captured:
            answer = client.post(site.path(name), decision.form)
        if decision.change:
            assert is_in(answer) == (who in decision.change), (name, who, answer.status_code)
        assert who in decision.change or not writes(captured), (name, who)


def test_who_is_locked_out_is_nobody_at_once(site: Site) -> None:
    User.objects.filter(username__in=["ada", "sam"]).update(is_active=False)
    for name, decision in DECISIONS.items():
        if NOBODY in decision.look or name in ELSEWHERE:
            continue
        for who in (OWNER, STAFF):
            assert not is_in(site.clients[who].get(site.path(name))), (name, who)
