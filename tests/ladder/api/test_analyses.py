"""Analyses through the API."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings

from damrak_ladder.matches.models import BlockState, Match
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW
from ladder.sites import fill

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.mark.usefixtures("database")
def test_an_analysis_is_requested_once() -> None:
    fill(NOW, blocks=1)
    match = Match.objects.filter(block__state=BlockState.RECORDED).earliest("pk")
    with override_settings(CACHES=MEMORY):
        program = Program()
        problem_of(program.get(f"matches/{match.pk}/analysis"), 404, "not-analysed")
        for answer in (
            program.post(f"matches/{match.pk}/analysis"),
            program.get(f"matches/{match.pk}/analysis"),
        ):
            assert answer.status_code == 202
            assert json.loads(answer.content)["state"] == "waiting"
