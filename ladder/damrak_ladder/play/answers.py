"""What people say at their tables: answers to questions of the referee, and wishes."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import F

from damrak_ladder.matches.models import BlockState
from damrak_ladder.play.models import Chair, Heard


def answer(chair: Chair, decision: int, action: int) -> bool:
    """Leave an answer for the relay; return whether it counts.

    Of several answers to the same question only the first counts, and none to a question that is
    no longer open.
    """
    open_ = Chair.objects.filter(
        pk=chair.pk, attempt=chair.attempt, asked=decision, choice=None, has_left=False
    )
    with transaction.atomic():
        if not open_.update(choice=action):
            return False
        question = Heard.objects.filter(
            chair=chair, attempt=chair.attempt, number=chair.question or 0
        )
        question.update(answer=action)
    return True


def leave(chair_id: int) -> None:
    """Let a person leave the table for good; the referee ends their game after its grace."""
    Chair.objects.filter(pk=chair_id).update(has_left=True)


def ask_advice(chair_id: int, decision: int, kind: str) -> bool:
    """Wish for advice on the open question; return False if it is answered, or there is no more.

    A wish that is repeated counts once.
    """
    open_ = Chair.objects.filter(
        pk=chair_id,
        asked=decision,
        choice=None,
        advices__lt=settings.DAMRAK_PEOPLE_HINTS,
    )
    if open_.exclude(wish=kind).update(wish=kind, advice=None, advices=F("advices") + 1):
        return True
    return Chair.objects.filter(pk=chair_id, asked=decision, choice=None, wish=kind).exists()


def may_take_back(chair: Chair) -> bool:
    """Return whether a take-back leads to the same position: all others are house bots."""
    block = chair.game.block
    return block is not None and block.is_mirrored


def take_back(chair: Chair) -> bool:
    """Wish to take back the last answer; return whether there is one, and it is possible."""
    # Each take-back plays the game again from its beginning.
    most = settings.DAMRAK_PEOPLE_TAKE_BACKS
    if not may_take_back(chair) or sum(chair.backs.values()) >= most:
        return False
    if not has_answers(chair):
        return False
    playing = Chair.objects.filter(
        pk=chair.pk, attempt=chair.attempt, game__block__state=BlockState.RUNNING, has_left=False
    )
    return bool(playing.update(takes_back=True))


def has_answers(chair: Chair) -> bool:
    """Return whether this person has answered a question of the latest attempt."""
    heard = Heard.objects.filter(chair=chair, attempt=chair.attempt)
    return heard.exclude(asks=None).exclude(answer=None).exists()
