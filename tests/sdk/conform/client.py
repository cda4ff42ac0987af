"""A small client that implements the protocol by itself, with optional faults.

    python client.py FAULT…      with DAMRAK_ADDRESS and DAMRAK_TOKEN in the environment

It shares nothing with the SDK or the conformance suite except the generated stubs.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
import time
from typing import Any

import grpc
import grpc.aio

from damrak_proto.v1 import lobby_pb2 as lobby, table_pb2 as table
from damrak_proto.v1.lobby_pb2_grpc import LobbyStub
from damrak_proto.v1.table_pb2_grpc import TableStub

ADDRESS = os.environ["DAMRAK_ADDRESS"]
TOKEN = os.environ["DAMRAK_TOKEN"]
FAULTS = sys.argv[1:]
CAPACITY = 2
FINAL = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ABORTED)


def hello() -> table.Hello:
    if "version-ignorant" in FAULTS:
        return table.Hello(software="test-client")
    return table.Hello(lowest_version=1, highest_version=1, software="test-client")


def play_request(**message: Any) -> table.PlayRequest:
    return table.PlayRequest(**message)


class Match:
    def __init__(self, address: str, ticket: str) -> None:
        self.address, self.ticket, self.over = address, ticket, False
        self.answered: dict[int, int] = {}
        self.ready = False
        self.woken = asyncio.Event()

    async def play(self) -> None:
        while not self.over:
            self.woken.clear()
            tried = self.ticket
            async with grpc.aio.insecure_channel(self.address) as channel:
                call = TableStub(channel).Play()
                try:
                    await self.connection(call)
                except grpc.aio.AioRpcError as problem:
                    hopeless = problem.code() in FINAL and "dead-ticket-lover" not in FAULTS
                    if (hopeless and tried == self.ticket) or "no-rejoin" in FAULTS:
                        return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.woken.wait(), 0.05)

    async def connection(self, call: Any) -> None:
        ticket, prompt = self.ticket, "no-prompt-events" not in FAULTS
        await call.write(
            play_request(join=table.Join(hello=hello(), ticket=ticket, prompt_events=prompt))
        )
        async for said in call:
            kind = said.WhichOneof("message")
            if kind is None and "unknown-kind-hater" in FAULTS:
                os._exit(3)
            if kind == "welcome":
                if "old-ticket" not in FAULTS:
                    self.ticket = said.welcome.rejoin_ticket
                if not self.ready or "ready-once" not in FAULTS:
                    await call.write(play_request(ready=table.Ready(name="Test")))
                self.ready = True
            elif kind == "question":
                await self.answer(call, said.question)
            elif kind == "rejection":
                action = 999_999 if "stubborn" in FAULTS else self.answered[said.rejection.decision]
                await self.decide(call, said.rejection.decision, action)
            elif kind == "stale" and "stale-hater" in FAULTS:
                os._exit(4)
            elif kind == "ending":
                self.over = True
                if "lingerer" in FAULTS:
                    await asyncio.sleep(3600)
                await call.done_writing()

    async def answer(self, call: Any, question: table.Question) -> None:
        decision = question.decision
        if "answers-once" in FAULTS and decision in self.answered:
            return
        self.answered.setdefault(decision, random.choice(question.legal))
        await self.decide(call, decision, self.answered[decision])

    async def decide(self, call: Any, decision: int, action: int) -> None:
        said = table.Decision(decision=decision, action=action, note="a note", think_us=1)
        if "wrong-ids" in FAULTS:
            said.decision += 1000
        if "chatterbox" in FAULTS:
            said.note = "x" * 281
        if "boaster" in FAULTS:
            said.think_us = 10**9
        await call.write(play_request(decision=said))


class Client:
    def __init__(self) -> None:
        self.playing: dict[str, Match] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.not_before = 0.0

    async def stay(self) -> None:
        while True:
            async with grpc.aio.insecure_channel(ADDRESS) as channel:
                while await self.is_refused(channel):
                    if "hammer" not in FAULTS:  # fast enough on any machine
                        sys.exit("not my version")
            if "impatient" not in FAULTS:
                await asyncio.sleep(max(0, self.not_before - time.monotonic()))
            await asyncio.sleep(0.01)

    async def is_refused(self, channel: grpc.aio.Channel) -> bool:
        call = LobbyStub(channel).Wait(metadata=(("authorization", f"Bearer {TOKEN}"),))
        try:
            await self.connection(call)
        except grpc.aio.AioRpcError as problem:
            return problem.code() is grpc.StatusCode.FAILED_PRECONDITION
        return False

    async def connection(self, call: Any) -> None:
        arrival = lobby.Arrival(
            hello=hello(),
            capacity=CAPACITY,
            playing=() if "forgetful" in FAULTS else tuple(self.running()),
        )
        await call.write(lobby.WaitRequest(arrival=arrival))
        async for said in call:
            kind = said.WhichOneof("message")
            if kind == "call":
                await self.come(call, said.call)
            elif kind == "withdrawal" and said.withdrawal.match in self.playing:
                self.playing[said.withdrawal.match].over = True
            elif kind == "closing":
                self.not_before = time.monotonic() + said.closing.back_in_ms / 1000

    async def come(self, call: Any, called: lobby.Call) -> None:
        address = called.address or ADDRESS
        if "homebody" in FAULTS:
            address = ADDRESS
        if called.match in self.playing:
            match = self.playing[called.match]
            match.address, match.ticket = address, called.ticket
            match.woken.set()
            return
        if len(self.running()) >= CAPACITY and "glutton" not in FAULTS:
            await call.write(lobby.WaitRequest(decline=lobby.Decline(match=called.match)))
            return
        match = self.playing[called.match] = Match(address, called.ticket)
        task = asyncio.create_task(match.play())
        self.tasks.add(task)
        task.add_done_callback(lambda done: self.left(called.match, done))

    def running(self) -> list[str]:
        return [name for name, match in self.playing.items() if not match.over]

    def left(self, match: str, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        del self.playing[match]


asyncio.run(Client().stay())
