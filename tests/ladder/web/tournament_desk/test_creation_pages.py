"""Tournaments are created from presets and copies, and their rules are changed with a preview."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client, override_settings

from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.forecasts import forecast_of
from damrak_ladder.tournaments.log.rules import parse_rules, rules_json
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.tournament_desk.presets import PRESETS
from ladder.tournaments.cups import act, cup, organiser
from ladder.visitors import page, visitor
from ladder.web.tournament_desk.test_desk import confirm, hidden

pytestmark = pytest.mark.usefixtures("database")
NEW = "/organise/tournaments/new/"


class Fields(HTMLParser):
    """The values that a browser would send for the form of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
        self._select = ""
        main = html.index("<form", html.index("<main"))
        self.feed(html[main : html.index("</form>", main)])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        name, value = said.get("name") or "", said.get("value") or ""
        if tag == "select":
            self._select = name
        elif tag == "option" and (self._select not in self.values or "selected" in said):
            self.values[self._select] = value
        elif tag == "input" and said.get("type") == "checkbox":
            if "checked" in said:
                self.values.setdefault(name, []).append(value or "on")
        elif tag == "input" and name:
            self.values[name] = value


def submit(client: Client, path: str, **changes: Any) -> str:
    """Send the form of a page with changes, as a browser would; return the page that follows."""
    said = Fields(page(client, path)).values | {changes.pop("button", "create"): "1"} | changes
    return client.post(f"/en{path}", said, follow=True).content.decode()


@pytest.mark.parametrize("key", PRESETS)
def test_form_creates_a_tournament_with_the_rules_of_the_preset(key: str) -> None:
    client = visitor(organiser())
    names = {"head-name": "Spring cup", "head-slug": "spring-cup"}
    html = submit(client, f"{NEW}?preset={key}", **names)
    assert "The tournament is created." in html
    rules = rules_json(journal.state_of(Tournament.objects.get(slug="spring-cup")).rules)
    expected = rules_json(parse_rules(PRESETS[key].rules))
    expected["schedule"]["zone"] = "Europe/Amsterdam"
    expected["control"] = rules["control"]  # the form states all limits
    for stage in expected["stages"]:
        stage["sudden_death_limit"] = 5
    assert rules == expected


def test_all_fields_of_the_form_arrive_in_the_rules() -> None:
    client = visitor(organiser())
    submit(
        client,
        f"{NEW}?preset=final",
        **{
            "head-name": "Cup",
            "head-slug": "all",
            "head-league": "canals",
            "stage0-format": "groups",
            "stage0-groups": "4",
            "stage0-advance": "2",
            "stage0-tie1": "head-to-head",
            "stage0-tie2": "goods",
            "rules-domain": "uni.example",
            "rules-invited": "on",
            "rules-opens": "2030-06-01T18:00",
            "rules-zone": "America/New_York",
            "rules-daily": "20:00",
            "rules-visibility": "private",
            "rules-reveal": "hidden",
            "rules-bank_ms": "5000",
            "rules-option_pass": "voluntary",
            "rules-languages": "python, rust",
            "rules-dead": "skip",
            "rules-games_a_minute": "30",
        },
    )
    made = Tournament.objects.get(slug="all")
    assert made.league is not None
    assert (made.league.slug, made.season) == ("canals", 1)
    rules = journal.state_of(made).rules
    stage = rules.stages[0].rules
    assert (stage.format, stage.groups, stage.tie_breaks) == (
        "groups",
        4,
        ("head-to-head", "goods"),
    )
    assert (rules.entry.domain, rules.entry.invited) == ("uni.example", True)
    assert rules.entry.languages == ("python", "rust")
    assert rules.schedule.opens is not None
    assert rules.schedule.opens.isoformat() == "2030-06-01T18:00:00-04:00"
    assert str(rules.schedule.daily) == "20:00:00"
    assert (rules.visibility, rules.reveal, rules.dead) == ("private", "hidden", "skip")
    assert (rules.control["bank_ms"], rules.options) == (5000, {"pass": "voluntary"})
    assert rules.games_a_minute == 30


def test_form_takes_points_for_each_place_and_of_a_bye() -> None:
    client = visitor(organiser())
    sent = {"head-name": "Cup", "head-slug": "places", "stage0-points": "places"}
    html = submit(client, f"{NEW}?preset=cup", **sent)
    assert "State the points of each place for every size of table, from 2 to 4." in html
    sent |= {"stage0-place_points": "1 0; 2.5 1 0; 3 2 1/2 0", "stage0-bye_points": "1/4"}
    ties = ["seed", "goods", "buchholz", "sonneborn-berger", "first-places", "head-to-head"]
    ties += ["game-points"]
    sent |= {f"stage0-tie{at}": tie for at, tie in enumerate(ties, 1)}
    submit(client, f"{NEW}?preset=cup", **sent)
    path = "/organise/tournaments/places/rules/"
    for most in ("64", "65"):  # the form of the rules shows and keeps what was given
        stage = journal.state_of(Tournament.objects.get(slug="places")).rules.stages[0].rules
        assert [[str(one) for one in row] for row in stage.place_points] == [
            ["1", "0"],
            ["5/2", "1", "0"],
            ["3", "2", "1/2", "0"],
        ]
        assert (str(stage.bye_points), stage.tie_breaks) == ("1/4", tuple(ties))
        said = hidden(submit(client, path, **{"rules-most": most}))
        client.post("/en/organise/tournaments/places/acts/rules/", said)
    for points in ("1 0; a b c", "-1 0", "1/0 1; 1 1 1", "1 0; 2 1 0", "9" * 100):
        sent |= {"head-slug": "other", "stage0-place_points": points}
        assert "errorlist" in submit(client, f"{NEW}?preset=cup", **sent)
    assert not Tournament.objects.filter(slug="other").exists()


def test_problems_are_shown_beside_their_fields_and_nothing_is_created() -> None:
    client = visitor(organiser())
    said = Fields(page(client, NEW)).values | {"create": "1"}
    said |= {"head-name": "Cup", "head-slug": "cup"}
    for changes, expected in (
        ({"rules-boards": "atlantis"}, "atlantis"),
        ({"rules-domain": "no domain"}, "is not a domain"),
        ({"stage0-players": "3", "stage0-format": "single-elimination"}, "tables of 2 or 4"),
        ({"rules-zone": "Mars"}, "There is no such time zone"),
        ({"head-slug": "Spring Cup"}, "lower-case letters"),
        ({"rules-per_owner": ""}, "errorlist"),
    ):
        assert expected in client.post(f"/en{NEW}", said | changes).content.decode()
    assert not Tournament.objects.exists()


def test_forecast_of_a_league_counts_all_divisions_and_days() -> None:
    found = forecast_of(parse_rules(PRESETS["league"].rules), 24)
    assert found.chosen is not None
    assert found.entrants == 8
    assert (found.divisions, found.season_games) == (3, 3 * found.chosen.games)
    assert found.season_games == 3 * 2 * 28 * 2 * 2
    assert found.days == 14
    html = page(visitor(organiser()), f"{NEW}?preset=league")
    assert "All 3 divisions without play-offs: 672 games" in html
    assert "With one round a day it takes 14 days." in html
    found = forecast_of(parse_rules(PRESETS["final"].rules), 16)
    assert (found.divisions, found.days) == (0, 0)


def test_minutes_respect_the_limits_of_games_a_minute() -> None:
    rules = parse_rules(PRESETS["class"].rules)
    quick = forecast_of(rules, 12).chosen
    slow = forecast_of(replace(rules, games_a_minute=3), 12).chosen
    with override_settings(DAMRAK_GAMES_PER_MINUTE=2):
        slowest = forecast_of(replace(rules, games_a_minute=3), 12).chosen
        alone = forecast_of(rules, 12).chosen
    assert quick is not None
    assert slow is not None
    assert slow.minutes == pytest.approx(slow.games / 3, abs=1)
    assert slowest == alone
    assert alone is not None
    assert alone.minutes == pytest.approx(alone.games / 2, abs=1)
    assert quick.minutes < slow.minutes < alone.minutes


def test_desk_shows_the_minutes_at_its_own_speed() -> None:
    tournament, user = cup(4)
    client, path = visitor(user), "/organise/tournaments/cup/"
    assert "12 games, 12 minutes" not in page(client, path)
    act(tournament, user, "speed", {"games_a_minute": 1})
    assert "12 games, 12 minutes" in page(client, path)


def test_forecast_answers_with_numbers_and_other_choices() -> None:
    found = forecast_of(parse_rules(PRESETS["final"].rules), 16)
    assert found.chosen is not None
    assert 20 <= found.chosen.percent <= 100
    assert found.chosen.games > 100
    assert found.better is not None or found.cheaper is not None
    client = visitor(organiser())
    assert re.search(r"The best of 16 bots wins with \d+ %", page(client, NEW))
    html = submit(client, f"{NEW}?preset=class", button="forecast", **{"field-entrants": "6"})
    assert "The best of 6 bots wins" in html


def test_copy_has_the_rules_but_not_the_schedule() -> None:
    original, user = cup(
        2, "swiss", rounds=3, schedule={"closes": "2030-01-01T12:00+00:00"}, patience_s=99
    )
    client = visitor(user)
    html = submit(client, f"{NEW}?copy={original.slug}", **{"head-name": "B", "head-slug": "b"})
    assert "The tournament is created." in html
    rules = journal.state_of(Tournament.objects.get(slug="b")).rules
    assert (rules.stages[0].rules.rounds, rules.patience_s) == (3, 99)
    assert rules.schedule.closes is None
    page(visitor(organiser("oscar")), f"{NEW}?copy=cup", status=404)


def test_change_of_the_rules_is_shown_as_a_diff_before_it_is_made() -> None:
    tournament, user = cup(2, "swiss", rounds=3)
    client = visitor(user)
    path = "/organise/tournaments/cup/rules/"
    html = submit(client, path, **{"stage0-rounds": "5", "rules-most": "64"})
    assert "This would change" in html
    assert re.search(r"Rounds</th><td[^>]*>3</td><td[^>]*>5", html)
    assert re.search(r"Places</th><td[^>]*>200</td><td[^>]*>64", html)
    assert journal.state_of(tournament).rules.stages[0].rules.rounds == 3
    confirm(client, "rules", html)
    tournament.refresh_from_db()
    assert journal.state_of(tournament).rules.stages[0].rules.rounds == 5


def test_form_takes_further_stages() -> None:
    client = visitor(organiser())
    said = Fields(page(client, f"{NEW}?preset=final")).values
    for number in (4, 5):
        html = client.post(f"/en{NEW}", said | {"more": "1"}).content.decode()
        said = Fields(html).values
        said |= {f"stage{number - 1}-format": "swiss", f"stage{number - 1}-source": "0"}
    said |= {"stage2-format": "swiss", "head-name": "Cup", "head-slug": "long", "create": "1"}
    client.post(f"/en{NEW}", said)
    stages = journal.state_of(Tournament.objects.get(slug="long")).rules.stages
    assert [stage.sources[0].stage for stage in stages] == [None, 0, 1, 0, 0]


def test_divisions_of_any_number_and_size() -> None:
    client = visitor(organiser())
    wanted = {"divisions-divisions": "4", "divisions-size": "6", "divisions-swaps": "2"}
    names = {"head-name": "Cup", "head-slug": "season", "head-league": "canals"}
    html = submit(client, f"{NEW}?preset=league", **wanted, **names)
    assert "move too many of 6 entrants" in html
    assert not Tournament.objects.exists()
    submit(client, f"{NEW}?preset=league", **wanted | {"divisions-swaps": "1"}, **names)
    made = Tournament.objects.get(slug="season")
    assert made.league is not None
    assert made.league.rules == {"target": 6, "swaps": 1, "play_off": True}
    rules = journal.state_of(made).rules
    assert [stage.sources[0].last for stage in rules.stages[:4]] == [6, 12, 18, 24]
    assert len(rules.stages) == 7


def test_form_explains_the_rule_options_in_the_language_of_the_page() -> None:
    client = visitor(organiser())
    assert "must be taken if it can be" in page(client, NEW)
    assert "moet genomen worden" in client.get(f"/nl{NEW}").content.decode()
    names = {"head-name": "Spring cup", "head-slug": "spring-cup"}
    submit(client, f"{NEW}?preset=cup", **names, **{"rules-option_goods_ties": "split"})
    tournament = Tournament.objects.get(slug="spring-cup")
    assert journal.state_of(tournament).rules.options == {"goods_ties": "split"}
