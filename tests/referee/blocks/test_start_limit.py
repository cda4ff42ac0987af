"""The number of matches that start at once is limited, and every slot is released."""

from __future__ import annotations

import asyncio

from damrak_referee.blocks.start_limit import Starting


def test_next_match_starts_when_a_slot_is_given_back_once() -> None:
    async def main() -> None:
        starting, never = Starting(1), asyncio.Event()
        first = await starting.take(never)
        assert first is not None
        second, third = (asyncio.ensure_future(starting.take(never)) for _ in range(2))
        first.release()
        first.release()
        slot = await second
        assert slot is not None
        assert not third.done()
        slot.release()
        assert await third is not None

    asyncio.run(main())


def test_cancelled_match_gives_up_waiting_and_takes_nothing() -> None:
    async def main() -> None:
        starting, stop = Starting(1), asyncio.Event()
        first = await starting.take(asyncio.Event())
        assert first is not None
        waiting = asyncio.ensure_future(starting.take(stop))
        await asyncio.sleep(0)
        stop.set()
        assert await waiting is None
        first.release()
        assert await starting.take(asyncio.Event()) is not None

    asyncio.run(main())
