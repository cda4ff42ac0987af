"""Sequential tests, started by authors, played in mirrored blocks, and ended automatically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Kind, State, Version
from damrak_ladder.matches.boards import DAILY, board_of
from damrak_ladder.matches.models import Block, BlockState, Ladder, SeatResult
from damrak_ladder.message_codes import journey_codes, trial_codes as codes
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind as Notice
from damrak_ladder.security import SecurityEvent, record
from damrak_ladder.trials.anytime_estimate import anytime_estimate
from damrak_ladder.trials.errors import BadBounds, NotPlayable, NotYours, TooManyTrials
from damrak_ladder.trials.models import Trial, TrialBlock, TrialState
from damrak_statistics.block_scores import FARTHEST, BlockScores, Estimate, Sprt

MOST_BLOCKS: Final = 5000
SEATS: Final = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """The hypotheses, error rates and limit of a test.

    It ends with "better" if a lead of `elo1` explains the scores better than one of `elo0`. If the
    truth is `elo0` or less, "better" is wrong in a share `alpha` of tests; if the truth is `elo1`
    or more, "not better" is wrong in a share `beta`.
    """

    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05
    most: int = 1000

    def sprt(self) -> Sprt:
        """Return the test.

        Raises:
            BadBounds: these bounds do not define a test.
        """
        if not 1 <= self.most <= MOST_BLOCKS:
            raise BadBounds(codes.TrialBlocks(self.most, MOST_BLOCKS))
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -FARTHEST <= elo <= FARTHEST:
                raise BadBounds(codes.TrialElo(name, elo))
        if self.elo1 - self.elo0 < 1:
            raise BadBounds(codes.TrialBoundsTooClose())
        try:
            return Sprt(self.elo0, self.elo1, self.alpha, self.beta)
        except ValueError:
            raise BadBounds(codes.TrialErrorRates()) from None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a test; the interval of `estimate` is valid at every moment."""

    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Estimate | None  # of the candidate's lead in Elo; None before the first block


def start(
    owner: User,
    candidate: Version,
    baseline: Version,
    ladder: Ladder,
    bounds: Bounds,
    now: datetime,
) -> Trial:
    """Start a test of one's own version against another of one's own, or against any live version.

    It is played at tables of two, on the boards and by the rules of a ladder.

    Raises:
        BadBounds, NotYours, NotPlayable, TooManyTrials
    """
    bounds.sprt()
    _check(owner, candidate, baseline)
    _check_tables(ladder)
    limit = settings.DAMRAK_LIMITS.trials
    with transaction.atomic():
        # Locked, so that two simultaneous calls both count towards the limit.
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)
        if Trial.objects.filter(owner=owner, state=TrialState.RUNNING).count() >= limit:
            raise TooManyTrials(limit)
        return Trial.objects.create(
            owner=owner,
            ladder=ladder,
            candidate=candidate,
            baseline=baseline,
            elo0=bounds.elo0,
            elo1=bounds.elo1,
            alpha=bounds.alpha,
            beta=bounds.beta,
            most=bounds.most,
            created=now,
        )


def cancel(trial_id: int, now: datetime) -> bool:
    """End a test without a verdict. Return False if it has already ended."""
    with transaction.atomic():
        return _end(trial_id, TrialState.CANCELLED, now)


def settle_test(block: Block, now: datetime) -> None:
    """Count a recorded block of a test, and end the test if it has a verdict.

    This is part of the caller's transaction, in which the block is settled.
    """
    mine = TrialBlock.objects.filter(block=block).select_related("trial").first()
    if mine is None:
        return
    trial = Trial.objects.select_for_update(no_key=True).get(pk=mine.trial_id)
    mine.score = score_of_block(block, trial.candidate_id)
    mine.is_late = trial.state != TrialState.RUNNING
    mine.save(update_fields=["score", "is_late"])
    if mine.is_late:
        return
    scores = scores_of(trial)
    state = verdict(trial, scores)
    if state is not TrialState.RUNNING and _end(trial.pk, state, now):
        trial.state, trial.ended = state, now
        _tell(trial, now)


def unsettle_test(block: Block) -> None:
    """Stop counting a block, because its host was not trustworthy and it is played again."""
    TrialBlock.objects.filter(block=block).update(score=None)


def verdict(trial: Trial, scores: BlockScores) -> TrialState:
    """Return the state of the test after these scores."""
    test = sprt_of(trial)
    found = test.verdict(test.llr(scores))
    if found is not None:
        return TrialState.BETTER if found == "H1" else TrialState.NOT_BETTER
    return TrialState.UNDECIDED if sum(scores.values()) >= trial.most else TrialState.RUNNING


def progress(trial: Trial) -> Progress:
    """Return the progress of a test."""
    return progress_of([trial])[trial.pk]


def progress_of(trials: Collection[Trial]) -> dict[int, Progress]:
    """Return the progress of each of these tests, by key, in one query."""
    found = scores_by_trial(trials)
    return {trial.pk: _progress(trial, found[trial.pk]) for trial in trials}


def _progress(trial: Trial, scores: BlockScores) -> Progress:
    test = sprt_of(trial)
    return Progress(
        blocks=sum(scores.values()),
        llr=test.llr(scores),
        lower=test.lower,
        upper=test.upper,
        estimate=anytime_estimate(scores) if scores else None,
    )


def sprt_of(trial: Trial) -> Sprt:
    """Return the test with the trial's bounds."""
    return Sprt(trial.elo0, trial.elo1, trial.alpha, trial.beta)


def scores_of(trial: Trial) -> BlockScores:
    """Return the number of blocks by the candidate's score."""
    return scores_by_trial([trial])[trial.pk]


def scores_by_trial(trials: Collection[Trial]) -> dict[int, Counter[float]]:
    """Return the number of blocks by the candidate's score, for each test by key."""
    counted = TrialBlock.objects.filter(trial__in=trials, score__isnull=False, is_late=False)
    found: dict[int, Counter[float]] = {trial.pk: Counter() for trial in trials}
    # Counted in the database: a test has thousands of blocks, but few different scores.
    rows = counted.order_by().values_list("trial", "score").annotate(count=Count("pk"))
    for key, score, count in rows:
        assert score is not None
        found[key][score] = count
    return found


def score_of_block(block: Block, version_id: int) -> float:
    """Return a version's score against its rivals in a recorded block, from 0 to 1."""
    results = SeatResult.objects.filter(seat__match__block=block)
    places: dict[int, list[tuple[int, int]]] = {}
    for match, version, place in results.values_list("seat__match_id", "seat__version_id", "place"):
        places.setdefault(match, []).append((version, place))
    won = possible = 0.0
    for seats in places.values():
        own = next(place for version, place in seats if version == version_id)
        for version, place in seats:
            if version != version_id:
                won += 1.0 if own < place else 0.5 if own == place else 0.0
                possible += 1.0
    return won / possible


def _refuse(user: User, version: Version) -> None:
    detail = {"what": f"test with {version}"}
    record(SecurityEvent.ACCESS_REFUSED, user=user, detail=detail)


def _check(owner: User, candidate: Version, baseline: Version) -> None:
    if candidate.bot.owner_id != owner.pk:
        _refuse(owner, candidate)
        raise NotYours(codes.VersionOfOthers(str(candidate)))
    if candidate.pk == baseline.pk:
        raise NotPlayable(codes.SameVersion())
    is_public = baseline.bot.live_id == baseline.pk
    if baseline.bot.owner_id != owner.pk and not is_public:
        _refuse(owner, baseline)
        raise NotYours(codes.VersionNotPublic(str(baseline)))
    for version in (candidate, baseline):
        if version.state not in {State.QUALIFIED, State.BENCHED}:
            raise NotPlayable(codes.VersionNotQualified(str(version), version.state))
    if candidate.bot_id == baseline.bot_id and Kind.REMOTE in {candidate.kind, baseline.kind}:
        raise NotPlayable(codes.RemoteMeetsItself())


def _check_tables(ladder: Ladder) -> None:
    if not ladder.is_open:
        raise NotPlayable(codes.LadderClosed(ladder.name))
    names = [name for name in ladder.boards if not name.startswith(DAILY)]
    has_two = all(board_of(name).players[0] <= SEATS for name in names)
    first = ladder.options.get("first_player", "")
    if not has_two or first in {"seat 2", "seat 3"}:
        raise NotPlayable(codes.LadderNotForTwo(ladder.name))


def _end(trial_id: int, state: TrialState, now: datetime) -> bool:
    running = Trial.objects.filter(pk=trial_id, state=TrialState.RUNNING)
    if not running.update(state=state, ended=now):
        return False
    # Blocks that have not started are not played any more.
    Block.objects.filter(
        trial_block__trial_id=trial_id, state=BlockState.WAITING, host=None
    ).delete()
    return True


def _tell(trial: Trial, now: datetime) -> None:
    first, second = str(trial.candidate), str(trial.baseline)
    estimate = anytime_estimate(scores_of(trial))
    lead, low, high = (round(one) for one in (estimate.value, estimate.low, estimate.high))
    verdict = journey_codes.TrialVerdict(TrialState(trial.state).value, lead, low, high)
    tell(
        trial.owner,
        Notice.TEST_FINISHED,
        f"test:{trial.pk}",
        *texts.test_finished(first, second, verdict),
        "/desk/tests/",
        now,
    )
