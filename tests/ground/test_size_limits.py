"""Modules and functions stay short. The exceptions may only become fewer and smaller."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ("ladder", "proto", "referee", "sdk")

MOST_LINES: Final = 300  # of a module
MOST_LINES_OF_A_FUNCTION: Final = 40

MODULES: Final = {
    "ladder/damrak_ladder/api/account.py": 372,
    "ladder/damrak_ladder/api/shapes.py": 385,
    "ladder/damrak_ladder/matches/models.py": 343,
    "ladder/damrak_ladder/matches/residuals.py": 326,
    "ladder/damrak_ladder/web/replays/views.py": 332,
    "ladder/damrak_ladder/web/site/tags.py": 327,
    "referee/damrak_engine/board.py": 313,
    "referee/damrak_engine/events.py": 371,
    "referee/damrak_engine/match.py": 393,
    "referee/damrak_engine/replay.py": 336,
    "referee/damrak_engine/state.py": 406,
    "referee/damrak_referee/referee.py": 305,
    "referee/damrak_referee/runner/client.py": 317,
    "referee/damrak_referee/settings/table.py": 326,
    "referee/damrak_referee/table/table.py": 302,
    "sdk/damrak/conform/game.py": 337,
    "sdk/damrak/env/vectorized/environment.py": 471,
    "sdk/damrak/preflight/checks.py": 310,
    "sdk/damrak/view.py": 339,
}
"""Longer modules, and the most lines that each may have."""

FUNCTIONS: Final = {
    "ladder/damrak_ladder/analyses/analysis.py:analyse": 54,
    "ladder/damrak_ladder/analyses/luck.py:luck_of": 45,
    "ladder/damrak_ladder/benchmark/places.py:_ladders": 56,
    "ladder/damrak_ladder/commands/anchors.py:_measure": 43,
    "ladder/damrak_ladder/commands/anchors.py:add_parser": 52,
    "ladder/damrak_ladder/commands/backup.py:add_parser": 43,
    "ladder/damrak_ladder/commands/bench.py:add_parser": 89,
    "ladder/damrak_ladder/commands/hosts.py:add_parser": 42,
    "ladder/damrak_ladder/commands/ladders.py:_add_fields": 54,
    "ladder/damrak_ladder/commands/ladders.py:add_parser": 46,
    "ladder/damrak_ladder/commands/processes.py:add_parser": 57,
    "ladder/damrak_ladder/commands/ratings.py:add_parser": 58,
    "ladder/damrak_ladder/commands/users.py:add_parser": 78,
    "ladder/damrak_ladder/embedded/plans.py:plans": 43,
    "ladder/damrak_ladder/installation/environment.py:read_environment": 93,
    "ladder/damrak_ladder/notices/addresses.py:target_of": 42,
    "ladder/damrak_ladder/pipeline/attempt/execution.py:play": 41,
    "ladder/damrak_ladder/pipeline/queue/forecast.py:_queued": 45,
    "ladder/damrak_ladder/population/crowd.py:write_crowd": 44,
    "ladder/damrak_ladder/population/past.py:Past._lines": 46,
    "ladder/damrak_ladder/population/past.py:Past.write": 41,
    "ladder/damrak_ladder/population/population.py:populate": 70,
    "ladder/damrak_ladder/population/records.py:Records._blocks": 49,
    "ladder/damrak_ladder/population/records.py:Records._results": 43,
    "ladder/damrak_ladder/ratings/rating.py:rate": 45,
    "ladder/damrak_ladder/ratings/sweep.py:_sweep_piece": 64,
    "ladder/damrak_ladder/simulation/command.py:add_parser": 66,
    "ladder/damrak_ladder/simulation/command.py:run": 54,
    "ladder/damrak_ladder/simulation/publishing_cost.py:_fill": 99,
    "ladder/damrak_ladder/simulation/report.py:simulate": 63,
    "ladder/damrak_ladder/simulation/season.py:play_season": 56,
    "ladder/damrak_ladder/standings/audit/rebuild.py:_repair": 45,
    "ladder/damrak_ladder/standings/audit/rebuild.py:rebuild": 43,
    "ladder/damrak_ladder/standings/counts/encounters.py:encounters_of": 47,
    "ladder/damrak_ladder/standings/fit/publication.py:_write": 60,
    "ladder/damrak_ladder/standings/read/estimates.py:estimates": 46,
    "ladder/damrak_ladder/standings/read/table.py:table": 46,
    "ladder/damrak_ladder/tournaments/formats/pairing.py:pair_round": 45,
    "ladder/damrak_ladder/web/replays/context.py:viewer_context": 49,
    "ladder/damrak_ladder/web/replays/table.py:Table.values": 42,
    "ladder/damrak_ladder/web/site/charts.py:chart": 42,
    "proto/damrak_wire/state/decoder.py:_decode": 48,
    "proto/damrak_wire/state/encoder.py:state_bytes": 44,
    "referee/damrak_engine/deal.py:blank": 42,
    "referee/damrak_engine/generator/board.py:_written": 50,
    "referee/damrak_engine/observation.py:observe": 58,
    "referee/damrak_referee/command/sandbox.py:_build_parser": 41,
    "referee/damrak_referee/runner/runtime.py:find_runtime": 46,
    "referee/damrak_referee/runner/seat.py:UploadedSeat._start": 49,
    "referee/damrak_referee/runner/seat.py:UploadedSeat.run": 42,
    "referee/damrak_referee/runner/syscalls.py:make_filter": 48,
    "referee/damrak_referee/server/admission.py:_wrap": 48,
    "sdk/damrak/benchmark/referee/floods.py:_match": 54,
    "sdk/damrak/benchmark/referee/seats.py:_play": 44,
    "sdk/damrak/cli/check.py:run": 46,
    "sdk/damrak/cli/conform.py:add_parser": 48,
    "sdk/damrak/cli/connect.py:_attend": 55,
    "sdk/damrak/cli/connect.py:add_parser": 62,
    "sdk/damrak/cli/env.py:add_parser": 45,
    "sdk/damrak/cli/play.py:add_parser": 69,
    "sdk/damrak/cli/repro.py:add_parser": 56,
    "sdk/damrak/cli/serve.py:add_parser": 85,
    "sdk/damrak/cli/serve.py:run": 56,
    "sdk/damrak/cli/submit.py:add_parser": 41,
    "sdk/damrak/cli/trial.py:add_parser": 51,
    "sdk/damrak/data/native.py:play": 44,
}
"""Longer functions, and the most lines that each may have."""


def sources() -> Iterator[tuple[str, str]]:
    """Yield the path and text of each module that is written by hand."""
    for root in SOURCES:
        for path in sorted((ROOT / root).rglob("*.py")):
            if "migrations" not in path.parts and "_pb2" not in path.name:
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def functions(node: ast.AST, outer: str) -> Iterator[tuple[str, int]]:
    """Yield the qualified name and number of lines of each function."""
    for child in ast.iter_child_nodes(node):
        inner = outer
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{outer}{child.name}."
            if not isinstance(child, ast.ClassDef) and child.end_lineno is not None:
                yield inner.removesuffix("."), child.end_lineno - child.lineno + 1
        yield from functions(child, inner)


def compare(found: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Return what is too long, and the exceptions that are no longer needed."""
    problems = [
        f"{name} has {lines} lines; {allowed.get(name, 'the limit')} is the most: shorten it"
        for name, lines in found.items()
        if lines > allowed.get(name, 0)
    ]
    gone = sorted(allowed.keys() - found.keys())
    return [*problems, *(f"{name} is no longer an exception: remove it here" for name in gone)]


def test_modules_are_short() -> None:
    lengths = {path: len(text.splitlines()) for path, text in sources()}
    found = {path: lines for path, lines in lengths.items() if lines > MOST_LINES}
    assert compare(found, MODULES) == []


def test_functions_are_short() -> None:
    found = {
        f"{path}:{name}": lines
        for path, text in sources()
        for name, lines in functions(ast.parse(text), "")
        if lines > MOST_LINES_OF_A_FUNCTION
    }
    assert compare(found, FUNCTIONS) == []


def test_a_new_exception_and_an_unneeded_one_are_found() -> None:
    assert len(compare({"a": 41, "b": 50}, {"b": 49, "c": 60})) == 3
    assert compare({"a": 45}, {"a": 50}) == []
