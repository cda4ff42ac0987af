"""Bots with random behaviour: every match ends, and is valid or void."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from random import Random

import grpc
import pytest

import tables
from damrak_engine.clock import TimeControl
from damrak_engine.verify import verify
from damrak_wire import table as wire
from tables import Client, Hall, hall, run

HASTY = TimeControl(decision_ms=400, bank_ms=3000, increment_ms=10, grace_ms=150)
Whim = Callable[[Client, wire.Asked, Random], Awaitable[bool]]  # returns whether it has answered


async def answers(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.answer(asked, chance.choice(asked.legal), note="x" * chance.randrange(3))
    return True


async def answers_twice(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.answer(asked)
    return await answers(client, asked, chance)


async def thinks(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await asyncio.sleep(chance.random() * 0.05)
    return await answers(client, asked, chance)


async def errs(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.answer(asked, chance.randrange(5000))
    return await answers(client, asked, chance)


async def babbles(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.say(chance.randbytes(chance.randrange(40)))
    await client.say(wire.ready("again"))
    await client.say(wire.decided(chance.randrange(200), 0))
    return await answers(client, asked, chance)


async def leaves(client: Client, asked: wire.Asked, chance: Random) -> bool:
    if chance.random() < 0.5:
        await client.answer(asked)  # without reading the response
    await client.leave()
    return False


async def hangs_up(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.call.done_writing()
    return True


async def fails(client: Client, asked: wire.Asked, chance: Random) -> bool:
    await client.say(wire.failed("crash", "on a whim", "trace"))
    return True


async def sleeps(client: Client, asked: wire.Asked, chance: Random) -> bool:
    return True  # never answers


WHIMS: dict[Whim, float] = {
    answers: 80,
    answers_twice: 4,
    thinks: 6,
    errs: 1,
    babbles: 2,
    leaves: 3,
    hangs_up: 2,
    fails: 0.2,
    sleeps: 0.2,
}


async def bot(room: Hall, seat: int, chance: Random) -> None:
    """Play with random behaviour, and reconnect as long as possible."""
    for _ in range(200):
        client = await room.connect(seat)
        try:
            await client.sit("whimsical", prompt=chance.random() < 0.5)
            while True:
                said = await client.hear()
                if isinstance(said, wire.Ended):
                    return
                if said is None:
                    break
                if isinstance(said, wire.Asked):
                    [whim] = chance.choices(list(WHIMS), list(WHIMS.values()))
                    if not await whim(client, said, chance):
                        break
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, AssertionError):
            pass  # refused, or too late to learn why
        except asyncio.CancelledError:
            # A cancelled call raises this, too.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
        if room.play.done():
            return


@pytest.mark.parametrize("seed", range(12))
def test_the_match_ends_for_any_behaviour_of_bots(seed: int) -> None:
    chance = Random(seed)
    seats = chance.choice([2, 3, 4])

    async def main() -> None:
        async with hall(
            seats, control=HASTY, jitter_ms=chance.choice([0, 0, 3]), limit_ms=2000
        ) as room:
            bots = [
                asyncio.create_task(bot(room, seat, Random(100 * seed + seat)))
                for seat in range(seats)
            ]
            if chance.random() < 0.2:
                asyncio.get_running_loop().call_later(
                    chance.random() * 0.2, room.table.void, "host", "a whim"
                )
            outcome = await room.outcome()
            await room.table.part(tables.PATIENCE)
            for task in bots:
                task.cancel()
            await asyncio.gather(*bots, return_exceptions=True)
            if outcome.replay_file is None:
                assert outcome.voided is not None
                assert outcome.voided.detail == "a whim"
            else:
                signed = json.loads(outcome.replay_file) | {"signature": "0f" * 64}
                verify(json.dumps(signed).encode())
            assert len(outcome.timings.seats) == len(outcome.timings.queue_us)

    run(main())
