"""Schemathesis finds no difference between the description and the application."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Final

import pytest
from django.test import override_settings

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.api import access
from ladder.api.fuzzing import fuzz
from ladder.api.served import served
from ladder.calls import MEMORY, Program
from ladder.sites import fill_recently

TOKENS: Final[dict[str, tuple[Scope, ...]]] = {
    "none": (),
    "read": (Scope.READ,),
    "submit": (Scope.SUBMIT,),
    "play": (Scope.PLAY,),
    "settings": (Scope.SETTINGS,),
    "roles": (Scope.ROLES,),
    "organise": (Scope.ORGANISE,),
    "tournaments": (Scope.TOURNAMENTS_RUN, Scope.TOURNAMENTS_READ_HIDDEN),
    "all": tuple(Scope),
}
# As with Hypothesis: the same requests every time, or new ones with SEARCH=1.
SEED: Final = random.randrange(10**6) if os.environ.get("SEARCH") else 1
# A regular expression of paths, to test some operations only: PATHS='play|leagues'.
PATHS: Final = os.environ.get("PATHS")
PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")


@pytest.fixture
def site(committed: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    fill_recently(blocks=4, replays=4)
    for limit in ("PUBLIC_A_MINUTE", "TOKEN_A_MINUTE", "WRITES_A_MINUTE", "WRONG_A_MINUTE"):
        monkeypatch.setattr(access, limit, 10**6)
    with override_settings(CACHES=MEMORY), served() as address:
        yield address


def check(site: str, scopes: str, examples: int, seed: int) -> None:
    """Test a site with a token of these scopes, which staff has if it has them all."""
    owner = User.objects.get(username="sam" if scopes == "all" else "ada")
    token = Program(owner, TOKENS[scopes]).secret if TOKENS[scopes] else None
    found = fuzz(site, token, TOKENS[scopes], examples, seed, PATHS)
    assert not found.failures, f"{len(found.failures)} failures:\n" + "\n".join(found.failures)
    expected = PHASES if PATHS is None else PHASES[1:3]
    assert all(found.cases.get(phase) for phase in expected), found.cases


@pytest.mark.process
@pytest.mark.parametrize("committed", ["sqlite"], indirect=True)
def test_schemathesis_finds_no_failure(site: str) -> None:
    """A short run with all operations; the long runs have every kind of token."""
    check(site, "all", examples=1, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("committed", "scopes"),
    [*(("sqlite", scopes) for scopes in TOKENS), ("postgresql", "all")],
    indirect=["committed"],
)
def test_schemathesis_finds_no_failure_in_a_long_run(site: str, scopes: str) -> None:
    check(site, scopes, examples=30, seed=SEED)
