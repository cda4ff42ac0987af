"""Lists of matches and blocks: filters, cursors, exports, and their cost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.roles import Role, grant
from damrak_ladder.matches.models import Block, BlockState, Match, SeatResult
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW
from ladder.sites import fill, play


@pytest.fixture
def site(database: None) -> Iterator[Program]:
    fill(NOW, blocks=14)
    with override_settings(CACHES=MEMORY):
        yield Program()


def ask(program: Program, path: str, **filters: object) -> dict[str, Any]:
    answer = program.get(f"{path}?{urlencode(filters)}")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = json.loads(answer.content)
    return found


def walk(program: Program, path: str, **filters: object) -> list[dict[str, Any]]:
    """Every item, page after page."""
    items: list[dict[str, Any]] = []
    cursor = ""
    while True:
        found = ask(program, path, cursor=cursor, **filters)
        items.extend(found["items"])
        if found["next_cursor"] is None:
            return items
        cursor = found["next_cursor"]


def keys(items: list[dict[str, Any]]) -> set[int]:
    assert len(items) == len({item["id"] for item in items})
    return {item["id"] for item in items}


def recorded(**filters: object) -> set[int]:
    found = Match.objects.filter(block__state=BlockState.RECORDED, **filters)
    return set(found.values_list("pk", flat=True))


@pytest.mark.parametrize("limit", [3, 50])
def test_every_filter_lists_what_it_says(site: Program, limit: int) -> None:
    def matches(**filters: object) -> set[int]:
        return keys(walk(site, "matches", limit=limit, **filters))

    rat = recorded(seats__version__bot__slug="canal-rat")
    assert rat
    assert matches() == recorded()
    assert matches(bot="canal-rat") == rat
    assert matches(opponent="canal-rat") == rat
    assert matches(bot="canal-rat", opponent="tulip") == rat & recorded(
        seats__version__bot__slug="tulip"
    )
    version = next(iter(ask(site, "matches", bot="gable")["items"][0]["seats"]))["version_id"]
    assert matches(version=version) == recorded(seats__version=version)
    assert matches(owner="ADA") == recorded(seats__version__bot__owner__username="ada")
    assert matches(owner="ada", ladder="amsterdam") == recorded(
        seats__version__bot__owner__username="ada", block__ladder__slug="amsterdam"
    )
    assert matches(ladder="new-boards") == recorded(block__ladder__slug="new-boards")
    assert matches(seats=2) | matches(seats=3) | matches(seats=4) == recorded()
    assert matches(seats=3) == recorded(seats__number=2) - recorded(seats__number=3)
    assert matches(board="practice") == recorded()
    assert matches(board="nowhere") == set()
    assert matches(purpose="canary") == set()
    middle = Block.objects.filter(state=BlockState.RECORDED).order_by("finished")[7].finished
    assert matches(since=middle.isoformat()) == recorded(block__finished__gte=middle)
    assert matches(until=middle.isoformat()) == recorded(block__finished__lt=middle)
    SeatResult.objects.filter(seat__match=min(rat)).update(fault="illegal")
    faulty = set(SeatResult.objects.exclude(fault="").values_list("seat__match", flat=True))
    assert matches(fault="illegal") == {min(rat)}
    assert matches(fault="any") == faulty
    assert matches(fault="none") == recorded() - faulty
    own = SeatResult.objects.exclude(fault="").filter(seat__version__bot__slug="canal-rat")
    assert matches(fault="any", bot="canal-rat") == set(own.values_list("seat__match", flat=True))
    results = {
        result: matches(bot="canal-rat", result=result) for result in ("won", "tied", "lost")
    }
    assert set.union(*results.values()) == rat
    assert sum(map(len, results.values())) == len(rat)
    first = set(
        SeatResult.objects.filter(
            seat__version__bot__slug="canal-rat", place=1, seat__match__in=rat
        ).values_list("seat__match", flat=True)
    )
    assert results["won"] | results["tied"] == first


def test_blocks_are_listed_by_the_same_filters(site: Program) -> None:
    every = walk(site, "blocks", limit=4)
    assert keys(every) == set(
        Block.objects.filter(state=BlockState.RECORDED).values_list("pk", flat=True)
    )
    assert [one["finished"] for one in every] == sorted(
        (one["finished"] for one in every), reverse=True
    )
    rat = walk(site, "blocks", bot="canal-rat", limit=2)
    assert all("canal-rat" in {side["bot"] for side in one["sides"]} for one in rat)
    for result in ("won", "lost"):
        for one in walk(site, "blocks", bot="canal-rat", result=result):
            assert (one["sides"][0]["bot"] == "canal-rat") == (result == "won")
    dead = walk(site, "blocks", state="dead")
    assert {one["state"] for one in dead} == {"dead"}
    assert {one["state"] for one in walk(site, "blocks", state="waiting", bot="tulip")} <= {
        "waiting"
    }


def test_a_block_has_its_attempts_and_their_details_for_organisers(site: Program) -> None:
    dead = Block.objects.get(state=BlockState.DEAD)
    shown = json.loads(site.get(f"blocks/{dead.pk}").content)
    assert shown["attempts"][0]["outcome"] == "void"
    assert shown["attempts"][0]["detail"] is None
    organiser = User.objects.get(username="bo")
    grant(organiser, Role.ORGANISER)
    shown = json.loads(Program(organiser).get(f"blocks/{dead.pk}").content)
    assert shown["attempts"][0]["detail"].endswith(": the referee went away")
    problem_of(site.get("blocks/999999999"), 404, "not-found")


def test_pages_are_stable_while_matches_are_recorded(site: Program) -> None:
    before = recorded()
    found = ask(site, "matches", limit=7)
    seen = found["items"]
    while found["next_cursor"] is not None:
        play(NOW, blocks=2)
        found = ask(site, "matches", limit=7, cursor=found["next_cursor"])
        seen += found["items"]
    assert before <= keys(seen)


def test_fields_are_selected(site: Program) -> None:
    found = ask(site, "matches", fields="board, finished", limit=2)
    assert all(set(item) == {"id", "board", "finished"} for item in found["items"])
    problem = problem_of(site.get("matches?fields=board,colour"), 422, "bad-fields")
    assert "'colour'" in problem["detail"]
    assert "board" in problem["cure"]


def test_an_export_has_one_item_per_line(site: Program) -> None:
    answer = site.get("matches?bot=canal-rat&fields=board", accept="application/x-ndjson")
    assert answer["Content-Type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert keys(lines) == recorded(seats__version__bot__slug="canal-rat")
    problem_of(site.get("matches?cursor=x", accept="application/x-ndjson"), 422, "bad-cursor")


BAD = (
    ("cursor=x", 422, "bad-cursor", "cursor"),
    ("cursor=%00", 422, "bad-cursor", "cursor"),
    ("limit=0", 422, "invalid", "limit"),
    ("limit=201", 422, "invalid", "limit"),
    ("bot=%00", 422, "invalid", "bot"),
    ("version=x", 422, "invalid", "version"),
    ("version=99999999999999999999", 422, "invalid", "version"),
    ("seats=5", 422, "invalid", "seats"),
    ("state=over", 422, "invalid", "state"),
    ("since=yesterday", 422, "invalid", "since"),
    ("since=0", 422, "invalid", "since"),
    ("until=0001-01-01T00:00:00%2B14:00", 422, "invalid", "until"),
    ("result=best", 422, "invalid", "result"),
    ("ladder=nowhere", 404, "not-found", "nowhere"),
    ("fields=,", 422, "bad-fields", "fields"),
)


@pytest.mark.usefixtures("database")
def test_a_bad_filter_is_named() -> None:
    program = Program()
    for query, status, code, culprit in BAD:
        for path in ("matches", "blocks"):
            assert culprit in problem_of(program.get(f"{path}?{query}"), status, code)["detail"]


def test_a_cursor_is_bound_to_its_list_and_filters(site: Program) -> None:
    cursor = ask(site, "matches", limit=2, ladder="amsterdam")["next_cursor"]
    for query in (f"matches?cursor={cursor}", f"blocks?ladder=amsterdam&cursor={cursor}"):
        problem = problem_of(site.get(query), 422, "bad-cursor")
        assert "another list" in problem["detail"]
    changed = cursor[:-2] + ("aa" if cursor[-2:] != "aa" else "bb")
    problem_of(site.get(f"matches?ladder=amsterdam&cursor={changed}"), 422, "bad-cursor")
    answer = site.get("matches?limit=2&ladder=amsterdam")
    linked = re.fullmatch(r"<(.+)>; rel=\"next\"", answer["Link"])
    assert linked is not None
    assert f"cursor={cursor}".replace(":", "%3A") in linked[1]


FILTERS = (
    {},
    {"ladder": "amsterdam"},
    {"bot": "canal-rat"},
    {"owner": "ada", "ladder": "amsterdam"},
    {"bot": "canal-rat", "opponent": "tulip"},
    {"seats": 3, "fault": "any"},
    {"bot": "gable", "result": "won"},
)


def queries(site: Program) -> list[int]:
    counts = []
    for filters in FILTERS:
        for path in ("matches", "blocks"):
            with CaptureQueriesContext(
                connection,
            ) as captured:
                ask(site, path, limit=5, **filters)
            counts.append(len(captured))
    return counts


def test_a_page_takes_no_more_queries_when_there_is_more_to_list(site: Program) -> None:
    before = queries(site)
    play(NOW, blocks=40)
    after = queries(site)
    assert max(after) <= 16
    assert all(now <= was + 3 for was, now in zip(before, after, strict=True)), (before, after)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_plans_on_postgresql_use_indexes(site: Program) -> None:
    with connection.cursor() as cursor:
        # On so few rows the planner prefers to read tables in full.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("ANALYZE")
    for filters in FILTERS:
        for path in ("matches", "blocks"):
            with CaptureQueriesContext(connection) as captured:
                ask(site, path, limit=5, **filters)
            for query in captured.captured_queries:
                if query["sql"].startswith("SELECT"):
                    with connection.cursor() as cursor:
                        cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"))
                        plan = "\n".join(row[0] for row in cursor.fetchall())
                    for table in ("block", "match", "seat", "seatresult"):
                        assert f"Seq Scan on matches_{table}" not in plan, (query["sql"], plan)
