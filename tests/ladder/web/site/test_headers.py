"""Security headers, and forms that reject requests."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import RequestFactory, override_settings
from django.utils import timezone
from django.utils.translation import override

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.attempts import give_up, start
from damrak_ladder.matches.models import Blame, BlockState, Fault, Seat
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.web.site.errors import broken
from ladder.people import somebody
from ladder.sites import fill_recently
from ladder.tables import PATIENCE, some_block
from ladder.visitors import page, visitor

COUNTING = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


@pytest.mark.usefixtures("database")
def test_every_answer_carries_the_headers():
    for path in ("/en/", "/en/nothing/", "/en/desk/", "/ladders/"):
        headers = visitor().get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in headers["Permissions-Policy"]


@pytest.mark.usefixtures("database")
def test_no_page_has_inline_script_style_or_handlers():
    for path in ("/", "/accounts/login/", "/accounts/signup/", "/search/"):
        text = page(visitor(), path).replace(settings.DAMRAK_URL, "")
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=", text)
        assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", text)


@pytest.mark.usefixtures("database")
def test_a_visitor_gets_no_cookie_for_reading():
    assert not visitor().get("/en/").cookies


@pytest.mark.usefixtures("database")
def test_the_theme_is_kept_and_leads_back_only_here():
    client = visitor()
    response = client.post("/en/theme/", {"theme": "dark", "next": "/en/queue/"})
    assert response.headers["Location"] == "/en/queue/"
    kept = response.cookies["damrak-theme"]
    assert kept["httponly"]
    assert kept["samesite"] == "Lax"
    assert 'data-theme="dark"' in page(client, "/")
    away = client.post("/en/theme/", {"theme": "x", "next": "https://evil.example/"})
    assert away.headers["Location"] == "/"
    assert "data-theme" not in page(client, "/")


@pytest.mark.usefixtures("database")
def test_a_form_from_elsewhere_is_refused_with_a_cure():
    client = visitor(somebody(), enforce_csrf_checks=True)
    response = client.post("/en/desk/tokens/", {"name": "x", "scopes": ["read"]})
    assert response.status_code == 403
    assert "The form has expired" in response.content.decode()
    assert not User.objects.get().api_tokens.exists()


@pytest.mark.usefixtures("database")
def test_reasons_of_failed_attempts_are_for_organisers_only():
    now = timezone.now()
    block = some_block(now=now)
    start(block.pk, 0, "quay-1", now, PATIENCE)
    give_up(block.pk, 1, ReportedVoid("no connection to 10.0.0.3"), (), now, PATIENCE)
    author, organiser = somebody(), somebody("olga")
    grant(organiser, Role.ORGANISER)
    for path in (f"/blocks/{block.pk}/", "/queue/"):
        assert "10.0.0.3" not in page(visitor(), path)
        assert "10.0.0.3" not in page(visitor(author), path)
        assert "10.0.0.3" in page(visitor(organiser), path)
    assert b"10.0.0.3" not in visitor().get("/api/v1/queue").content


@pytest.mark.usefixtures("database")
def test_output_of_a_failed_bot_is_shown_to_its_owner_only():
    fill_recently(blocks=2, replays=2)
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    seat = Seat.objects.filter(match__block__state=BlockState.RECORDED).earliest("pk")
    Seat.objects.filter(pk=seat.pk).update(version=version)
    Fault.objects.create(
        attempt=seat.match.block.attempts.latest("number"),
        match=seat.match,
        seat=seat,
        version=version,
        owner=Blame.BOT,
        reason="crash",
        detail="KeyError: my-own-trick",
    )
    for path in ("/bots/canal-rat/", "/bots/canal-rat/2/", f"/matches/{seat.match_id}/"):
        for name, is_told in ((None, False), ("bo", False), ("ada", True), ("sam", True)):
            shown = page(visitor(name) if name else visitor(), path)
            assert "crashed" in shown, path
            assert ("my-own-trick" in shown) == is_told, (path, name)


def test_server_errors_are_in_the_language_of_the_visitor():
    with override("da"):
        answer = broken(RequestFactory().get("/da/")).content.decode()
    assert '<html lang="da">' in answer
    assert "Noget gik galt" in answer


@pytest.mark.usefixtures("database")
def test_frequent_searches_get_a_retry_time():
    with override_settings(CACHES=COUNTING):
        cache.clear()
        client = visitor()
        answers = [client.get("/en/search/?q=a") for _ in range(130)]
        refused = client.head("/en/search/?q=a"), client.options("/en/search/?q=a")
        cache.clear()
    assert [answer.status_code for answer in refused] == [429, 429]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Too many requests" in answers[-1].content.decode()


@pytest.mark.usefixtures("database")
def test_forms_are_not_to_be_sent_again_and_again():
    """Forms that require more than a login, and forms that all visitors may send."""
    organiser = somebody("olga")
    grant(organiser, Role.ORGANISER)
    forms = ("theme/", "language/", "desk/notices/read/", "organise/blocks/9/requeue/")
    with override_settings(CACHES=COUNTING):
        cache.clear()
        client = visitor(organiser)
        for form in forms:
            path = "/language/" if form == "language/" else f"/en/{form}"
            answers = [client.post(path).status_code for _ in range(130)]
            assert answers[0] == 302, form
            assert answers[-1] == 429, form
        cache.clear()
