"""The permissions of every address of the site, for every kind of visitor.

An address without a stated permission fails, and so does a permission without an address.
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
from django.conf import settings
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, get_resolver, reverse

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.bots.models import Version
from damrak_ladder.follows import feed_tokens
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Ladder, Match, Seat
from damrak_ladder.notices.unsubscribe import stop_path
from damrak_ladder.play.tables import Wish, create
from damrak_ladder.tournaments.models import Organiser
from damrak_ladder.trials.trials import Bounds, start
from damrak_ladder.webhooks.models import Endpoint, Post, Target
from ladder.open_data.dumps import sample
from ladder.people import somebody
from ladder.puzzles.puzzle_games import a_puzzle
from ladder.sites import fill_recently
from ladder.tournaments.cups import act, cup, some_league, started
from ladder.visitors import visitor

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
    """Who may read a page, who may change something there, and the form data for trying it."""

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
TOURNAMENT: Final = {"slug": "tournament"}
VERSION: Final = {"slug": "bot", "number": "version"}

DECISIONS: Final[dict[str, Decision]] = {
    # Public pages.
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
                "web:learn",
                "web:highlights",
                "web:records",
                "web:predictions",
                "web:puzzles",
                "web:puzzle_archive",
                "web:ladders",
                "web:compare",
                "web:queue",
                "web:hosts",
                "web:search",
                "web:runtime",
                *("web:open_data", "data_index"),
            ),
            *("web:live_table", "feeds:all", "feeds:highlights"),
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
    "web:tournaments": to_look(EVERYBODY),
    **dict.fromkeys(
        (
            *("web:tournament", "web:tournament_entrants", "web:tournament_standings"),
            *("web:tournament_log", "web:tournament_rule_history"),
            *("web:tournament_wall", "web:tournament_card"),
            "feeds:tournament",
        ),
        to_look(EVERYBODY, **TOURNAMENT),
    ),
    "web:tournament_enter": to_change(
        SIGNED_IN, SIGNED_IN, {"bot": "none"}, slug="open_tournament"
    ),
    "web:tournament_withdraw": to_change(ALONE, ALONE, {}, slug="open_tournament", bot="bot"),
    "web:tournament_round": to_look(EVERYBODY, **TOURNAMENT, stage="stage", number="round"),
    **dict.fromkeys(
        ("web:tournament_verify", "web:tournament_collusion"), to_look(ORGANISERS, **TOURNAMENT)
    ),
    "web:tournament_file": to_look(EVERYBODY, **TOURNAMENT, name="cup_file"),
    "web:tournament_chances": to_look(EVERYBODY, **TOURNAMENT, stage="stage"),
    "web:leagues": to_look(EVERYBODY),
    "web:league": to_look(EVERYBODY, slug="league"),
    "web:tournament_cross_table": to_look(EVERYBODY, **TOURNAMENT, stage="stage"),
    "web:tournament_bracket": to_look(EVERYBODY, **TOURNAMENT, stage="stage"),
    "web:person": to_look(EVERYBODY, name="person"),
    "web:block": to_look(EVERYBODY, pk="block"),
    "sitemap": to_look(EVERYBODY, section="section"),
    "document_picture": to_look(EVERYBODY, name="picture"),
    "guides:document": to_look(EVERYBODY, name="document"),
    "data_file": to_look(EVERYBODY, table="table", name="file"),
    "replay-files:moments": to_look(EVERYBODY, pk="match", eyes="eyes"),
    "replay-files:oembed": to_look(EVERYBODY, asked="url=http://127.0.0.1/en/matches/{match}/"),
    # Changes that all visitors may make, with an effect on themselves only.
    "choose_language": to_change(NONE, EVERYBODY, {"language": "da", "next": "/"}),
    "web:predict": to_change(NONE, EVERYBODY, {"seat": "0"}, **MATCH),
    "replays:insight": to_change(EVERYBODY, EVERYBODY, {}, **MATCH),
    "web:play": to_change(
        EVERYBODY, EVERYBODY, {"second": "greedy", "board": "practice", "pace": "calm"}
    ),
    "web:play_game": to_look(EVERYBODY, code="game"),
    "web:play_join": to_change(NONE, EVERYBODY, {}, code="game"),
    "web:play_answer": to_change(NONE, NONE, {"decision": "1", "action": "0"}, code="game"),
    "web:play_leave": to_change(NONE, NONE, {}, code="game"),
    "web:play_advice": to_change(NONE, NONE, {"kind": "hint"}, code="game"),
    "web:play_back": to_change(NONE, NONE, {}, code="game"),
    "web:play_log": to_look(NONE, code="game"),
    "web:play_stream": to_look(EVERYBODY, code="game"),
    "web:puzzle": to_change(EVERYBODY, EVERYBODY, {"choice": "1"}, pk="puzzle"),
    "web:results": to_change(NONE, EVERYBODY, {"results": "hidden", "next": "/"}),
    "web:theme": to_change(NONE, EVERYBODY, {"theme": "dark", "next": "/"}),
    "feeds:following": to_look(EVERYBODY, token="feed"),
    "stop_mails": to_change(EVERYBODY, EVERYBODY, {}, token="stop"),
    # Pages for all users who have signed in.
    "web:desk": to_look(SIGNED_IN),
    "web:device": to_change(SIGNED_IN, SIGNED_IN, {"code": "BCDF-GHJK", "refuse": "1"}),
    "web:desk_submit": to_change(SIGNED_IN, SIGNED_IN, {"name": "new-bot"}),
    "web:desk_remote": to_change(SIGNED_IN, SIGNED_IN, {"name": "new-bot", "software": "x 1"}),
    "web:desk_tests": to_change(SIGNED_IN, SIGNED_IN, {}),
    "web:desk_tokens": to_change(SIGNED_IN, SIGNED_IN, {"name": "ci", "scopes": ["read"]}),
    "web:desk_notices": to_look(SIGNED_IN),
    "web:following": to_look(SIGNED_IN),
    "web:following_feed": to_change(NONE, SIGNED_IN, {}),
    "web:follow": to_change(NONE, SIGNED_IN, {"subject": "bot", "name": "canal-rat"}),
    "web:desk_read_notices": to_change(NONE, SIGNED_IN, {}),
    "web:desk_set_rules": to_change(NONE, SIGNED_IN, {}),
    "web:desk_webhook": to_change(NONE, SIGNED_IN, {"do": "set", "url": "https://93.184.215.14/"}),
    "web:desk_webhooks": to_change(SIGNED_IN, SIGNED_IN, {"url": "https://93.184.215.14/"}),
    "web:second_factor": to_look(SIGNED_IN),
    "web:account_data": to_look(SIGNED_IN),
    "web:download_data": to_change(NONE, SIGNED_IN, {}),
    "web:delete_account": to_change(SIGNED_IN, SIGNED_IN, {"name": "another"}),
    # Objects that belong to a user.
    "web:end_session": to_change(NONE, ALONE, {}, pk="session"),
    "web:desk_bot": to_look(INSIDE, **BOT),
    "web:desk_version": to_look(INSIDE, **VERSION),
    "web:desk_make_live": to_change(INSIDE, INSIDE, {}, **VERSION),
    "web:desk_qualify_again": to_change(NONE, INSIDE, {}, **VERSION),
    "web:desk_canary": to_change(NONE, INSIDE, {"do": "begin"}, **VERSION),
    "web:desk_entry": to_change(NONE, INSIDE, {"do": "leave"}, slug="bot", ladder="ladder"),
    "web:desk_people": to_change(NONE, INSIDE, {"do": "allow"}, **BOT),
    "web:desk_connect_token": to_change(ALONE, ALONE, {}, **BOT),
    "web:desk_test": to_look(INSIDE, pk="trial"),
    "web:desk_cancel_test": to_change(INSIDE, INSIDE, {}, pk="trial"),
    "web:desk_revoke_token": to_change(ALONE, ALONE, {}, pk="token"),
    **dict.fromkeys(
        ("web:desk_endpoint", "web:desk_endpoint_disable", "web:desk_endpoint_remove"),
        to_change(ALONE, ALONE, {}, pk="endpoint"),
    ),
    "web:desk_replay_delivery": to_change(NONE, ALONE, {}, pk="endpoint", delivery="delivery"),
    "web:seat_log": to_look(INSIDE, **SEAT),
    "web:seat_bundle": to_look(NONE, **SEAT),  # there is none for a seat without a fault
    # Pages of organisers.
    "web:organise": to_look(ORGANISERS),
    "web:requeue_block": to_change(NONE, ORGANISERS, {}, pk="dead"),
    "web:security_log": to_look(frozenset({STAFF})),
    "web:trust_host": to_change(ORGANISERS, ORGANISERS, {}, pk="host"),
    "web:organise_tournaments": to_look(ORGANISERS),
    "web:tournament_new": to_change(ORGANISERS, ORGANISERS, {}),
    **dict.fromkeys(
        ("web:tournament_desk", "web:tournament_desk_entrants", "web:tournament_desk_log"),
        to_look(ORGANISERS, **TOURNAMENT),
    ),
    "web:league_edit": to_change(
        ORGANISERS, ORGANISERS, {"name": "Canals", "serial": "0"}, slug="league"
    ),
    "web:tournament_next_season": to_change(ORGANISERS, ORGANISERS, {}, slug="open_tournament"),
    "web:tournament_enter_many": to_change(
        ORGANISERS, ORGANISERS, {"names": "greedy"}, slug="open_tournament"
    ),
    "web:tournament_rules": to_change(ORGANISERS, ORGANISERS, {}, slug="open_tournament"),
    "web:tournament_people": to_change(ORGANISERS, ORGANISERS, {"do": "invite"}, **TOURNAMENT),
    "web:tournament_desk_round": to_look(
        ORGANISERS, slug="tournament", stage="stage", number="round"
    ),
    "web:tournament_reveal": to_change(
        ORGANISERS,
        ORGANISERS,
        {"serial": "1", "table": "1"},
        slug="tournament",
        stage="stage",
        number="round",
    ),
    "web:tournament_act": to_change(
        ORGANISERS, ORGANISERS, {"payload": "{}", "serial": "1"}, slug="tournament", kind="act"
    ),
    # Pages of staff.
    "web:users": to_look(STAFF_ONLY),
    "web:change_role": to_change(STAFF_ONLY, STAFF_ONLY, {"role": "organiser"}, pk="user"),
}

ELSEWHERE: Final = frozenset({"replay-files:live", "web:play_stream"})
"""Addresses that close the connection which this test observes; other tests cover them."""

OF_THE_PACKAGE: Final = {
    # Pages for visitors who have not signed in.
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
    """Yield the name of every page and file; API requests have separate tests."""
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
    """All kinds of visitors, and the objects of the requests."""

    clients: dict[str, Client]
    values: dict[str, Any]

    def asked(self) -> Iterator[tuple[str, Decision, str, Client]]:
        """Yield every address with every visitor; public read-only ones with two of them."""
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
    """Record the queries, and roll the changes back."""
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        yield captured
        transaction.set_rollback(True)


def writes(captured: CaptureQueriesContext) -> list[str]:
    """Return the changes, except to analyses, the security log and sessions."""
    every = (query["sql"] for query in captured.captured_queries)
    changes = (sql for sql in every if sql.startswith(("INSERT", "UPDATE", "DELETE")))
    return [sql for sql in changes if not re.search('"(analyses|security|usersessions)_', sql)]


def is_in(answer: HttpResponseBase) -> bool:
    """Return whether access was granted, instead of refused or redirected to the login."""
    if answer.status_code in (302, 303):
        return "/accounts/login/" not in answer.headers["Location"]
    assert answer.status_code in (200, 204, 403, 404, 405), answer
    return answer.status_code < 300


# Permissions do not depend on the database, and running all this on two would take long.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def site(database: None) -> Site:
    dump = sample(settings.DAMRAK_DUMP.folder)
    now = fill_recently(blocks=2, replays=2)
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
    # Posting to this address fails at once, because it is not public.
    endpoint = Endpoint.objects.create(
        user=ada, url="https://127.0.0.1/", target=Target.NOTICES, created=now, renewed=now
    )
    delivery = Post.objects.create(
        endpoint=endpoint, message="msg_1", type="test", body="{}", created=now, due=now
    )
    opened, organiser = cup(2, slug="open-cup")
    act(opened, organiser, "enter", {"slug": version.bot.slug})
    running = started(4, "single-elimination")[0]
    Organiser.objects.bulk_create(Organiser(tournament=it, user=olga) for it in (opened, running))
    return Site(
        clients,
        {
            "match": seat.match_id,
            "puzzle": a_puzzle(seat.match).pk,
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
            "endpoint": endpoint.pk,
            "delivery": delivery.pk,
            "user": User.objects.get(username="bo").pk,
            "feed": feed_tokens.renew(User.objects.get(username="bo"), now),
            "stop": stop_path(ada).strip("/").rpartition("/")[2],
            "section": "bots",
            "tournament": running.slug,
            "act": "pause",
            "open_tournament": opened.slug,
            "stage": 0,
            "cup_file": "report.pdf",
            "league": some_league(opened).slug,
            "round": 1,
            "picture": "images/amsterdam.svg",
            "document": "api",
            "table": dump.files[0].table,
            "file": dump.files[0].path.partition("/")[2],
            "eyes": "all",
            "game": create(Wish((), 3, "practice", "calm"), "key", "192.0.2.1", now).code,
        },
    )


@pytest.mark.usefixtures("database")
def test_every_address_has_a_stated_permission() -> None:
    # Some pages of a package are preceded by a stricter pattern of ours with the same name.
    names = sorted(set(names_of(get_resolver().url_patterns)))
    assert names == sorted([*DECISIONS, *OF_THE_PACKAGE])


@pytest.mark.process  # the film of a match
def test_every_visitor_sees_only_permitted_pages_without_side_effects(site: Site) -> None:
    for name, decision, who, client in site.asked():
        with undone() as captured:
            answer = client.get(site.path(name))
        assert is_in(answer) == (who in decision.look), (name, who, answer.status_code)
        assert not writes(captured), (name, who)
        if decision.look != EVERYBODY:
            kept = answer.headers["Cache-Control"]
            assert "private" in kept or "no-store" in kept, (name, kept)


def test_no_visitor_changes_anything_without_permission(site: Site) -> None:
    for name, decision, who, client in site.asked():
        with undone() as captured:
            answer = client.post(site.path(name), decision.form)
        if decision.change:
            assert is_in(answer) == (who in decision.change), (name, who, answer.status_code)
        assert who in decision.change or not writes(captured), (name, who)


def test_locked_user_is_logged_out_at_once(site: Site) -> None:
    User.objects.filter(username__in=["ada", "sam"]).update(is_active=False)
    for name, decision in DECISIONS.items():
        if NOBODY in decision.look or name in ELSEWHERE:
            continue
        for who in (OWNER, STAFF):
            assert not is_in(site.clients[who].get(site.path(name))), (name, who)
