"""Rerun repro bundles: send a bot again what it received before it failed.

    bundle = read_bundle(Path("fault.json"))
    again = rerun(bundle)              # or rerun(bundle, debug=True)

The bot is created again and asked the same questions in the same order, in a process with the clock
and limits of the failing run, or in this process with `debug`. The run is reproducible if the bot
takes its random numbers from `self.rng` or from the module `random`.
"""

from __future__ import annotations

import bdb
import contextlib
import os
import pdb
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic_ns
from types import FrameType
from typing import Final, NoReturn, TextIO, TypeVar, cast

from damrak.bundle import Bundle, Step, read_bundle, write_bundle
from damrak.errors import BotNotFound
from damrak.hosting.driver import Driver, Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Nonsense, Silence, fault_of
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import limited_memory
from damrak.hosting.shared import discard_launcher, launcher
from damrak.hosting.stdout_guard import REASON as PRINTED, WatchedStdout
from damrak.specs import BotSpec
from damrak_engine.clock import US_PER_MS

__all__ = ["Bundle", "Rerun", "read_bundle", "rerun", "write_bundle"]

# Modules in which the debugger does not stop on its own.
NOT_THE_BOT: Final = (
    "damrak.repro",
    "damrak.hosting.*",
    "damrak.specs",
    "damrak.bot",
    "damrak.view",
    "damrak_engine.*",
    "importlib.*",
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rerun:
    """The outcome of a rerun.

    `fault` is None if the bot does not fail any more. `changed` is the first decision that it
    answered differently, if any; later questions are still those of the original match. `output` is
    what the bot printed, if it had a process of its own.
    """

    fault: BotFault | None
    changed: int | None
    output: str = ""

    def repeats(self, bundle: Bundle) -> bool:
        """Return whether the bot failed for the same reason."""
        return self.fault is not None and self.fault.reason == bundle.fault.reason


def rerun(bundle: Bundle, debug: bool = False, bot: BotSpec | None = None) -> Rerun:
    """Ask the bot, or a given other one, again under the limits of the failing run.

    With `debug` the bot runs in this process, with the memory limit and without a clock. The last
    call, which failed, runs under pdb: it stops at the start of the call, and again at an exception
    that the bot raises; for a bot that printed, it stops at the print. Ctrl-C ends a bot that hangs
    and shows where it is. A bot that ends its process other than by `sys.exit` or `os._exit` ends
    this process.

    Raises:
        BotNotFound: the file of the bot does not exist any more.
        HostError: this machine cannot run bots.
    """
    plan = bundle.plan
    if bot is not None:
        plan = SeatPlan(bot, plan.seat, plan.control, plan.chance)
    elif plan.spec.path is not None and not plan.spec.path.is_file():
        raise BotNotFound(plan.spec.text, f"there is no {plan.spec.path} any more")
    if not debug and bundle.fault.reason != PRINTED:
        return _rerun_in_child(bundle, plan)
    with _as_in_child(plan), _exit_raised():
        if bundle.fault.reason == PRINTED:
            return _rerun_printing(bundle, plan, debug)
        return _Rerun(bundle, plan, debug).run()


def _rerun_in_child(bundle: Bundle, plan: SeatPlan) -> Rerun:
    """Rerun under the conditions of the failing run: a process with its clock and limits."""
    bot = HostedBot(launcher(), plan, bundle.rules, bundle.limits)
    try:
        fault, changed = _ask_again(bundle, bot)
        output = bot.output
    except BaseException:
        discard_launcher()  # a message exchange with the server may have been interrupted
        raise
    finally:
        bot.close()
    return Rerun(fault, changed, output)


def _ask_again(bundle: Bundle, bot: HostedBot) -> tuple[BotFault | None, int | None]:
    changed: int | None = None
    if (fault := bot.start()) is not None:
        return fault, None
    for i, step in enumerate(bundle.steps):
        question = step.question
        is_last = i + 1 == len(bundle.steps) and bundle.ending is None
        answer, _ = bot.ask(question, question.time_left.us)
        if isinstance(answer, BotFault):
            return answer, changed
        if isinstance(answer, Silence):
            return BotFault("timeout", late_detail(question), answer.stack), changed
        if is_last:
            return _objection(step, answer, late=False), changed
        if answer != step.answer and changed is None:
            changed = question.decision
    if bundle.ending is not None:
        return bot.finish(bundle.ending.events, bundle.ending.result), changed
    return None, changed


def late_detail(question: Question) -> str:
    """Return an arbiter's description of the fault that this question was not answered in time."""
    left = question.time_left
    if left.decision_us is None or left.bank_us < left.decision_us:
        return "the bank was used up"
    return f"no answer within {left.decision_us // US_PER_MS} ms"


def _rerun_printing(bundle: Bundle, plan: SeatPlan, debug: bool) -> Rerun:
    """Rerun a bot to find what it prints; with `debug` stop there, as any call may print."""
    stream = sys.stdout

    def stop(frame: FrameType) -> None:
        pdb.Pdb(stdout=stream, skip=NOT_THE_BOT).set_trace(frame)

    printing = WatchedStdout(stream, stop if debug else None)
    with contextlib.redirect_stdout(cast(TextIO, printing)):
        again = _Rerun(bundle, plan, debug=False).run()
    if again.fault is None and printing.detail:
        return replace(again, fault=BotFault(PRINTED, printing.detail, printing.traceback))
    return again


class _Rerun:
    def __init__(self, bundle: Bundle, plan: SeatPlan, debug: bool) -> None:
        self._bundle = bundle
        self._plan = plan
        self._debug = debug
        self._changed: int | None = None

    def run(self) -> Rerun:
        """Replay the bundle, until its end or the bot's failure."""
        bundle = self._bundle
        try:
            with limited_memory(bundle.limits.memory_bytes):
                fault = self._play()
        except KeyboardInterrupt as stopped:
            hung = fault_of(stopped)
            fault = BotFault("timeout", "it was stopped with Ctrl-C", hung.traceback)
        except bdb.BdbQuit:  # the author left the debugger
            fault = bundle.fault
        except _Exit as left:
            where = fault_of(left).traceback.partition(f'  File "{__file__}"')[0]  # up to here
            words = f"the bot's process ended with exit status {left.args[0]}"
            fault = BotFault("crash", words, where)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - a bot may raise anything
            fault = fault_of(problem)
            if self._debug:
                pdb.post_mortem(problem.__traceback__)
        return Rerun(fault, self._changed)

    def _play(self) -> BotFault | None:
        bundle, plan = self._bundle, self._plan
        is_start = not bundle.steps and bundle.ending is None
        driver = self._call(is_start, partial(Driver, plan, bundle.rules))
        fault = None
        for i, step in enumerate(bundle.steps):
            is_last = i + 1 == len(bundle.steps) and bundle.ending is None
            began = monotonic_ns()
            answer: Answer = self._call(is_last, partial(driver.choose, step.question))
            late = monotonic_ns() - began > step.question.time_left.us * 1000
            fault = _objection(step, answer, late and not self._debug)
            if answer != step.answer and self._changed is None and not is_last:
                self._changed = step.question.decision
        ending = bundle.ending
        if ending is not None:
            self._call(True, partial(driver.finish, ending.events, ending.result))
            return None
        return fault

    def _call(self, is_last: bool, call: Callable[[], T]) -> T:
        if not (is_last and self._debug):
            return call()
        results: list[T] = []
        pdb.Pdb(skip=NOT_THE_BOT).runcall(lambda: results.append(call()))
        if not results:  # the author left with q: the debugger catches its own exception
            raise bdb.BdbQuit
        return results[0]


def _objection(step: Step, answer: Answer, late: bool) -> BotFault | None:
    """Return the fault that an arbiter would find in this answer, if any."""
    if late:
        return BotFault("timeout", "it took longer than it had time left then")
    if isinstance(answer, Nonsense):
        return BotFault("illegal", answer.what)
    if isinstance(answer, Chosen) and answer.action not in step.question.legal:
        return BotFault("illegal", f"action {answer.action} is not among the legal ones")
    return None


class _Exit(BaseException):
    """Raised instead of `os._exit`, which would end this process as well."""


@contextlib.contextmanager
def _exit_raised() -> Iterator[None]:
    before = os._exit

    def leave(status: int) -> NoReturn:
        raise _Exit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = before


@contextlib.contextmanager
def _as_in_child(plan: SeatPlan) -> Iterator[None]:
    """Use the bot's folder and random seed as in a child process; restore all of it afterwards."""
    path, chances = sys.path[:], random.getstate()
    modules = set(sys.modules)
    random.seed(plan.chance)
    folder = plan.spec.folder
    try:
        with contextlib.chdir(folder) if folder is not None else contextlib.nullcontext():
            yield
    finally:
        sys.path[:] = path
        random.setstate(chances)
        for name in set(sys.modules) - modules:
            if _lies_in(sys.modules[name], folder):  # otherwise the next bot imports it
                del sys.modules[name]


def _lies_in(module: object, folder: object) -> bool:
    file = getattr(module, "__file__", None)
    return folder is not None and isinstance(file, str) and file.startswith(f"{folder}")
