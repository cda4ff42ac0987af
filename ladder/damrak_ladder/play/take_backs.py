"""Take-backs: the attempt ends, and the next one repeats all answers but the last.

The next attempt has the same cards, and house bots decide the same in the same position. So it
leads to the position before the last answer, by the rules and at the real referee.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from damrak_ladder.matches import attempts
from damrak_ladder.message_codes.block_codes import MoveTakenBack
from damrak_ladder.play.mailbox import script_of
from damrak_ladder.play.models import Chair, Heard


def fulfil(chair_id: int, now: datetime) -> tuple[int, int] | None:
    """Take back the last answer of a chair that wishes so.

    Returns the block and the attempt that has ended by this; None if nothing can be taken back.
    """
    with transaction.atomic():
        chair = Chair.objects.select_related("game__block").get(pk=chair_id)
        Chair.objects.filter(pk=chair_id).update(takes_back=False)
        block = chair.game.block
        script = script_of(chair)
        if not chair.takes_back or block is None or not script:
            return None
        last = max(script, key=int)
        if not attempts.hand_back(block.pk, chair.attempt, MoveTakenBack(), now, timedelta(0)):
            return None
        del script[last]
        backs = {**chair.backs, last: chair.backs.get(last, 0) + 1}
        Heard.objects.filter(chair=chair, attempt=chair.attempt, asks=int(last)).update(answer=None)
        Chair.objects.filter(pk=chair_id).update(
            script=script, backs=backs, asked=None, question=None, choice=None
        )
        return block.pk, chair.attempt
