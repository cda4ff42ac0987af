"""The seventeen options, by their names in files."""

from __future__ import annotations

import pytest

from damrak_engine.errors import OptionsError
from damrak_engine.options import CHOICES, DEFAULTS, Options, parse_options


def test_there_are_seventeen() -> None:
    assert len(CHOICES) == len(DEFAULTS.to_json()) == 17


def test_nothing_given_means_the_defaults() -> None:
    assert parse_options({}) == DEFAULTS == Options()


@pytest.mark.parametrize("name", CHOICES)
def test_every_value_survives_json(name: str) -> None:
    for value in CHOICES[name]:
        options = parse_options({name: value})
        assert options.to_json()[name] == value
        assert parse_options(dict(options.to_json())) == options


@pytest.mark.parametrize("limit", ["1", "300", "99999"])
def test_turn_limit_is_a_number_in_words(limit: str) -> None:
    assert parse_options({"turn_limit": limit}).turn_limit == limit


@pytest.mark.parametrize(
    "given",
    [
        {"pass_": "voluntary"},
        {"colour": "red"},
        {"pass": "never"},
        {"pass": True},
        {"pass": None},
        {"turn_limit": "0"},
        {"turn_limit": "-3"},
        {"turn_limit": "03"},
        {"turn_limit": "3.5"},
        {"turn_limit": "\u0663"},
        {"turn_limit": ""},
        {"turn_limit": "9" * 5000},
        {"turn_limit": 300},
        {"first_player": "seat 4"},
    ],
)
def test_wrong_names_and_values_are_refused_by_name(given: dict[str, object]) -> None:
    with pytest.raises(OptionsError, match=next(iter(given))):
        parse_options(given)
