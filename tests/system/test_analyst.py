"""Queued analyses are computed by a separate process, and none is lost when it exits."""

from __future__ import annotations

import itertools
import signal
import time
from typing import TYPE_CHECKING

from celery import Celery

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Match
    from system.plant import Plant


def test_an_analysis_survives_its_analyst(plant: Plant) -> None:
    from damrak_ladder.analyses.models import Analysis, AnalysisState
    from damrak_ladder.analyses.requests import request
    from ladder.films import recorded_films
    from system.plant import PATIENCE, Process, now, wait_until

    log = plant.folder / "analyst.log"
    with Celery(broker=plant.broker.url) as sender:
        told_at = 0.0

        def told(match: Match, *states: AnalysisState) -> bool:
            nonlocal told_at
            if time.monotonic() - told_at > 1:  # repeated as by beat, because messages may get lost
                told_at = time.monotonic()
                sender.send_task("analyse", queue="spare", expires=60)
            return Analysis.objects.get(match=match).state in states

        def ended_over() -> Match:
            """Return a match that an analyst was analysing, or had analysed, when it exited."""
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
