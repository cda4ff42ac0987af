"""The fold of the log: the state of a tournament as a pure function of its acts.

Acts of organisers are strict: one that does not apply raises `NotPossible`, also when an earlier
act has been undone. Acts that name a superseded round have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from damrak_ladder.message_codes import act_codes as codes
from damrak_ladder.tournaments.log import rulings
from damrak_ladder.tournaments.log.acts import AUTOMATIC, Act, Kind, active
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.rules import changed_fields, parse_rules, rules_json
from damrak_ladder.tournaments.log.state import Entrant, Pairing, Round, Stage, State
from damrak_ladder.tournaments.log.values import (
    STARTED,
    UNDER_WAY,
    PairingKey,
    Phase,
    RoundKey,
    Ruling,
    Standing,
)


def fold(acts: Iterable[Act]) -> State:
    """Return the state after these acts, which begin with the creation.

    Raises:
        NotPossible: an act does not apply.
    """
    log = list(acts)
    effective = active(log)
    if not effective or effective[0].kind is not Kind.CREATE:
        raise NotPossible(codes.NoCreation())
    state = State(parse_rules(effective[0].payload["rules"]))
    state.games_a_minute = state.rules.games_a_minute
    for act in effective[1:]:
        apply(state, act)
    state.serial = log[-1].serial
    return state


def apply(state: State, act: Act) -> None:
    """Continue the state with an act.

    Raises:
        NotPossible: the act does not apply; the state may have been changed in part.
    """
    if act.kind in AUTOMATIC and not _is_applicable(state, act):
        return
    allowed = _PHASES[act.kind]
    if state.phase not in allowed:
        possible = tuple(str(phase) for phase in Phase if phase in allowed)
        raise NotPossible(codes.WrongPhase(state.phase), codes.PossiblePhases(possible))
    _APPLY[act.kind](state, act, act.payload)
    state.serial = act.serial


def possible_kinds(phase: Phase) -> frozenset[Kind]:
    """Return the kinds of acts that apply in this phase."""
    return frozenset(kind for kind, phases in _PHASES.items() if phase in phases)


def _is_applicable(state: State, act: Act) -> bool:
    if act.kind is Kind.FINISH:
        return state.phase in UNDER_WAY
    said = act.payload
    stage = state.stages.get(said["stage"])
    paired = 0 if stage is None else len(stage.rounds)
    is_next = said["round"] == paired + 1
    return (
        state.phase in UNDER_WAY
        and is_next
        and said["generation"] == state.generation(said["stage"], said["round"])
    )


def _rules(state: State, act: Act, said: Any) -> None:
    rules = parse_rules(said["rules"])
    if state.stages and changed_fields(state.rules, rules).keys() - {"schedule"}:
        raise NotPossible(codes.RulesFixed())
    if state.phase not in (Phase.DRAFT, Phase.OPEN) and "entry" in changed_fields(
        state.rules, rules
    ):
        raise NotPossible(codes.EntryFixed())
    state.rules = rules
    state.games_a_minute = rules.games_a_minute


def _rename(state: State, act: Act, said: Any) -> None:
    state.first_name = state.first_name or said["was"]
    state.name = said["name"]


def _phase(phase: Phase) -> Callable[[State, Act, Any], None]:
    def change(state: State, act: Act, said: Any) -> None:
        state.phase = phase

    return change


def _enter(state: State, act: Act, said: Any) -> None:
    number = said["entrant"]
    if any(
        one.bot == said["bot"] and one.standing is Standing.IN for one in state.entrants.values()
    ):
        raise NotPossible(codes.AlreadyEntered())
    if number in state.entrants:
        raise NotPossible(codes.EntrantExists(number))
    if state.phase not in (Phase.DRAFT, Phase.OPEN) and said["version"] is None:
        raise NotPossible(codes.LateVersion())
    seed = None
    if state.phase in STARTED:
        seed = 1 + max((one.seed or 0 for one in state.entrants.values()), default=0)
    state.entrants[number] = Entrant(
        number=number,
        bot=said["bot"],
        owner=said["owner"],
        version=said["version"],
        is_guest=said["guest"],
        seed=seed,
        entered=act.at,
    )


def _withdraw(state: State, act: Act, said: Any) -> None:
    entrant = _entrant(state, said["entrant"])
    state.entrants[entrant.number] = replace(entrant, standing=Standing.WITHDRAWN)
    rulings.lose(state, entrant.number, said["forfeits"])


def _disqualify(state: State, act: Act, said: Any) -> None:
    entrant = _entrant(state, said["entrant"], also_withdrawn=True)
    state.entrants[entrant.number] = replace(
        entrant, standing=Standing.DISQUALIFIED, ruling=Ruling(said["ruling"])
    )
    rulings.lose(state, entrant.number, said["forfeits"])


def _close(state: State, act: Act, said: Any) -> None:
    state.phase = Phase.CLOSED
    for text, version in said["versions"].items():
        entrant = state.entrants.get(int(text))
        if entrant is not None:
            state.entrants[entrant.number] = replace(entrant, version=version)


def _start(state: State, act: Act, said: Any) -> None:
    taking_part = {number for number in state.entrants if state.is_in(number)}
    if set(said["seeds"]) != taking_part or len(said["seeds"]) != len(taking_part):
        raise NotPossible(codes.SeedsIncomplete(), codes.PreviewStart())
    if len(taking_part) < 2:
        raise NotPossible(codes.TwoEntrants(), codes.AddEntrants())
    for seed, number in enumerate(said["seeds"], 1):
        state.entrants[number] = replace(state.entrants[number], seed=seed)
    if said.get("stages") is not None:
        state.rules = parse_rules({**rules_json(state.rules), "stages": said["stages"]})
    state.phase, state.resumed = Phase.RUNNING, act.at


def _pair(state: State, act: Act, said: Any) -> None:
    key = RoundKey(said["stage"], said["round"], said["generation"])
    stage = state.stages.get(key.stage)
    if stage is None:
        stage = Stage(key.stage, state.rules.stages[key.stage], tuple(said["field"]))
    elif key.number == 1 or said["field"]:
        # The first round was rolled back, or entrants were added since.
        stage = replace(stage, entrants=tuple(said["field"]))
    pairings = {}
    listed = [number for one in said["pairings"] for number in one["entrants"]]
    if len(set(listed)) < len(listed):
        raise NotPossible(codes.PairedTwice())
    if missing := sorted(set(listed) - state.entrants.keys()):
        raise NotPossible(codes.AlreadyPaired(missing[0]), codes.WithdrawInstead())
    for one in said["pairings"]:
        own = PairingKey(*key, one["table"])
        of = one.get("of")
        pairings[one["table"]] = Pairing(
            key=own,
            entrants=tuple(one["entrants"]),
            blocks=said["blocks"],
            origin=own if of is None else PairingKey(*of),
            slot=one.get("slot", ""),
            group=one.get("group", 0),
            manual=one.get("manual", False),
        )
    made = Round(key, pairings, state.rules.reveal, act.serial, act.at, said["seed"], said["cost"])
    state.stages[key.stage] = replace(stage, rounds=(*stage.rounds, made))


def _pause(state: State, act: Act, said: Any) -> None:
    state.phase, state.paused = Phase.PAUSED, act.at


def _resume(state: State, act: Act, said: Any) -> None:
    if state.paused is not None and act.at is not None:
        state.pauses = (*state.pauses, (state.paused, act.at))
    state.paused = None
    state.phase, state.resumed, state.stops_after_round = Phase.RUNNING, act.at, False


def _stop(state: State, act: Act, said: Any) -> None:
    state.stops_after_round = said["on"]


def _speed(state: State, act: Act, said: Any) -> None:
    if said["games_a_minute"] == 0:
        raise NotPossible(codes.SpeedTooLow(), codes.PauseInstead())
    state.games_a_minute = said["games_a_minute"]


def _finish(state: State, act: Act, said: Any) -> None:
    state.phase = Phase.OVER
    state.finished = act.at


def _finalise(state: State, act: Act, said: Any) -> None:
    state.phase = Phase.FINAL


def _cancel(state: State, act: Act, said: Any) -> None:
    state.phase = Phase.CANCELLED


def _entrant(state: State, number: int, *, also_withdrawn: bool = False) -> Entrant:
    found = state.entrants.get(number)
    if found is None:
        raise NotPossible(codes.NoEntrant(number))
    if found.standing is Standing.DISQUALIFIED or (
        found.standing is Standing.WITHDRAWN and not also_withdrawn
    ):
        raise NotPossible(codes.EntrantLeft(number, found.standing))
    return found


_BEFORE_START: Final = frozenset({Phase.DRAFT, Phase.OPEN, Phase.CLOSED})
_PLAYED: Final = UNDER_WAY | {Phase.OVER}
_NOT_FINAL: Final = _BEFORE_START | _PLAYED

_PHASES: Final[dict[Kind, frozenset[Phase]]] = {
    Kind.RULES: _NOT_FINAL,
    Kind.RENAME: frozenset(Phase),
    Kind.OPEN: frozenset({Phase.DRAFT, Phase.CLOSED}),
    Kind.ENTER: _BEFORE_START | UNDER_WAY,
    Kind.WITHDRAW: _BEFORE_START | UNDER_WAY,
    Kind.CLOSE: frozenset({Phase.DRAFT, Phase.OPEN}),
    Kind.START: frozenset({Phase.CLOSED}),
    Kind.PAIR: UNDER_WAY,
    Kind.PAUSE: frozenset({Phase.RUNNING}),
    Kind.RESUME: UNDER_WAY,
    Kind.STOP: UNDER_WAY,
    Kind.ARRANGE: _BEFORE_START | UNDER_WAY,
    Kind.SPEED: _NOT_FINAL,
    Kind.DISQUALIFY: _NOT_FINAL,
    Kind.OVERRIDE: _PLAYED,
    Kind.REPLAY_BLOCK: _PLAYED,
    Kind.REPLAY_ROUND: _PLAYED,
    Kind.FORFEIT: _PLAYED,
    Kind.SKIP_BLOCK: _PLAYED,
    Kind.RELEASE: _PLAYED | {Phase.FINAL, Phase.CANCELLED},
    Kind.PLAN_RELEASE: _NOT_FINAL | {Phase.FINAL},
    Kind.FINISH: UNDER_WAY,
    Kind.FINALISE: frozenset({Phase.OVER}),
    Kind.REOPEN: frozenset({Phase.FINAL}),
    Kind.CANCEL: _NOT_FINAL,
}

_APPLY: Final[dict[Kind, Callable[[State, Act, Any], None]]] = {
    Kind.RULES: _rules,
    Kind.RENAME: _rename,
    Kind.OPEN: _phase(Phase.OPEN),
    Kind.ENTER: _enter,
    Kind.WITHDRAW: _withdraw,
    Kind.CLOSE: _close,
    Kind.START: _start,
    Kind.PAIR: _pair,
    Kind.PAUSE: _pause,
    Kind.RESUME: _resume,
    Kind.STOP: _stop,
    Kind.ARRANGE: rulings.arrange,
    Kind.SPEED: _speed,
    Kind.DISQUALIFY: _disqualify,
    Kind.OVERRIDE: rulings.override,
    Kind.REPLAY_BLOCK: rulings.replay_block,
    Kind.REPLAY_ROUND: rulings.replay_round,
    Kind.FORFEIT: rulings.forfeit,
    Kind.SKIP_BLOCK: rulings.skip_block,
    Kind.RELEASE: rulings.release,
    Kind.PLAN_RELEASE: rulings.plan_release,
    Kind.FINISH: _finish,
    Kind.FINALISE: _finalise,
    Kind.REOPEN: _phase(Phase.OVER),
    Kind.CANCEL: _cancel,
}
