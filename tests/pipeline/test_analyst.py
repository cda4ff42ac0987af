"""Analyses that wait are computed by a process of its own, and none is lost when it ends."""

from __future__ import annotations

import itertools
import signal
import time
from typing import TYPE_CHECKING

from celery import Celery

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Match
    from pipeline.plant import Plant


def test_an_analysis_outlives_its_analyst(plant: Plant) -> None:
    from damrak_ladder.analyses.asking import request
    from damrak_ladder.analyses.models import Analysis, AnalysisState
    from ladder_django.films import recorded_films
    from pipeline.plant import PATIENCE, Process, now, wait_until

    log = plant.folder / "analyst.log"
    with Celery(broker=plant.broker.url) as sender:
        told_at = 0.0

        def told(match: Match, *states: AnalysisState) -> bool:
            nonlocal told_at
            if time.monotonic() - told_at > 1:  # as beat does, for messages get lost
                told_at = time.monotonic()
                sender.send_task("analyse", queue="spare", expires=60)
            return Analysis.objects.get(match=match).state in states

        def ended_over() -> Match:
            """A match whose analysis an analyst was at when it ended, if it was not through."""
            match = recorded_films(2, board="practice", now=now(), prefix=next(names))[0]
            assert request(match, "test", now()) is not None
            first = Process(log, plant.machine.variables, "analyst")
            begun = AnalysisState.RUNNING, AnalysisState.DONE
            wait_until(lambda: told(match, *begun), log.read_text)
            first.process.send_signal(signal.SIGQUIT)
            first.process.wait(PATIENCE)
            return match

        names = map("analyst{}".format, itertools.count())
        while told(match := ended_over(), AnalysisState.DONE):
            pass
        given_back = Analysis.objects.get(match=match)
        assert (given_back.state, given_back.tries) == (AnalysisState.WAITING, 0), log.read_text()
        second = Process(log, plant.machine.variables, "analyst")
        wait_until(lambda: told(match, AnalysisState.DONE), log.read_text)
        assert second.stop() == 0
