"""The referee: assembles its parts, serves, drains and closes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from typing import Final

import grpc
import grpc.aio
import structlog

from damrak_proto.v1 import (
    control_pb2,
    control_pb2_grpc,
    lobby_pb2,
    lobby_pb2_grpc,
    table_pb2,
    watch_pb2,
)
from damrak_referee.addresses import Address
from damrak_referee.blocks.archives import MB, Archives
from damrak_referee.blocks.control_service import ControlService
from damrak_referee.blocks.house_bots import HouseBots, find_house_bots
from damrak_referee.blocks.registry import BlockLimits, Blocks
from damrak_referee.blocks.running_match import Premises
from damrak_referee.blocks.start_limit import Starting
from damrak_referee.guard.guard import Guard
from damrak_referee.guard.limits import limits_from
from damrak_referee.lobby.lobby import Lobby
from damrak_referee.lobby.service import LobbyService
from damrak_referee.lobby.tokens import Tokens, TokensError
from damrak_referee.runner.client import Runner
from damrak_referee.runner.errors import RunnerError
from damrak_referee.runner.optional import largest_archive_mb
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.server.admission import Admitted, Key, Peers, read_key
from damrak_referee.server.metrics import Gauges, Metrics, serve_metrics
from damrak_referee.server.run_folder import RunFolder
from damrak_referee.server.seat_service import SeatService
from damrak_referee.server.server import Listener, control_options, credentials, public_options
from damrak_referee.server.watch_service import Feeds, WatchService
from damrak_referee.settings.settings import Settings
from damrak_referee.software import software
from damrak_referee.table.link import SeatLimits
from damrak_referee.table.tickets import Tickets
from damrak_referee.usage_errors import Misuse, SettingError
from damrak_wire.lobby import Closing

BACK_IN_MS: Final = 5_000  # when remote bots may look for a new referee at this address
HOUSEKEEPING: Final = 1.0  # seconds between two checks of the token file
LAST_WORDS: Final = 0.5  # seconds that open calls have when the servers close
CLEARING: Final = 20.0  # seconds to clean up cancelled matches

_log = structlog.get_logger()


class Referee:
    """One referee process. Call `open`, then `serve`, which closes it at the end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = contextlib.AsyncExitStack()
        self._draining = asyncio.Event()
        self._hurry = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> tuple[Address, Address]:
        """Start everything; return the addresses for bots and for control clients.

        Raises:
            Misuse: a setting cannot be satisfied; everything opened is closed again.
        """
        try:
            return await self._open()
        except BaseException:
            await self._stack.aclose()
            raise

    async def _open(self) -> tuple[Address, Address]:
        settings = self._settings
        self._stack.enter_context(RunFolder(settings.run, settings.name))
        public_tls = credentials(settings, "tls_client_ca")
        control_tls = credentials(settings, "control_client_ca")
        self._open_store()
        # Start child processes before gRPC, which does not support forks.
        house = await find_house_bots()
        self._runner = await self._start_runner()
        self._metrics = Metrics(settings.name, software(), settings.capacity)
        self._lobby = Lobby(self._tokens)
        self._tickets = Tickets()
        self._feeds = Feeds(settings.retention)
        at = await self._open_public(public_tls)
        self._blocks = self._make_blocks(at, house)
        control_at = await self._open_control(control_tls)
        self._measure()
        self._tell(at, control_at)
        return at, control_at

    def _open_store(self) -> None:
        settings = self._settings
        folder = settings.store / "archives"
        try:
            self._tokens = Tokens(settings.tokens, time.time)
            most = largest_archive_mb(settings.runtimes, settings.upload_mb)
            self._archives = Archives(folder, most * MB, settings.store_mb * MB)
        except TokensError as problem:
            raise SettingError(f"--tokens: {problem}") from None
        except OSError as problem:
            raise SettingError(f"--store: {problem.filename}: {problem.strerror}") from None

    async def _start_runner(self) -> Runner:
        try:
            runner = await Runner.start(_runner_settings(self._settings))
        except (ValueError, OSError) as problem:
            raise SettingError(f"--run: {problem}") from None
        except RunnerError as problem:
            raise Misuse(f"the runner: {problem}") from None
        runner.on_lost.append(lambda: _log.error("runner_lost", consequence="it is started again"))
        self._stack.push_async_callback(runner.close)
        return runner

    async def _open_public(self, tls: grpc.ServerCredentials | None) -> Address:
        settings = self._settings
        options = public_options(settings.join_seconds, settings.ping_seconds)
        guard = Guard(limits_from(settings, settings.bot_kib_per_s))
        self._metrics.guards["public"] = guard
        self._public = Listener(options, [self._make_peers(guard)], guard)
        lobby = LobbyService(
            self._lobby,
            self._tokens,
            settings.name,
            str(settings.advertise) if settings.advertise is not None else "",
            settings.join_seconds,
            guard,
        )
        lobby_pb2_grpc.add_LobbyServicer_to_server(lobby, self._public.server)
        limits = SeatLimits(join_s=settings.join_seconds)
        seats = SeatService(self._tickets.redeem, limits, guard.authenticated)
        self._public.server.add_generic_rpc_handlers((seats.handlers(),))
        self._public.name_services((table_pb2, "Table"), (lobby_pb2, "Lobby"))
        self._stack.push_async_callback(self._public.stop, LAST_WORDS)
        return await self._public.open("--listen", settings.listen, tls)

    def _make_peers(self, guard: Guard) -> Peers:
        settings = self._settings
        return Peers(settings.streams_per_peer, settings.joins_per_minute, self._metrics, guard)

    def _make_blocks(self, at: Address, house: HouseBots) -> Blocks:
        settings = self._settings
        self._premises = Premises(
            settings.name,
            str(settings.advertise or at.reachable()),
            self._runner,
            self._lobby,
            self._tickets,
            self._feeds,
            self._metrics,
            Starting(),
        )
        limits = BlockLimits(
            settings.capacity,
            settings.start_limit,
            settings.patience,
            settings.first_patience,
            settings.retention,
        )
        return Blocks(self._premises, self._archives, limits, house)

    async def _open_control(self, tls: grpc.ServerCredentials | None) -> Address:
        settings = self._settings
        # Separate from the limits of bots: a bot at the same address must not lock the ladder out.
        guard = Guard(limits_from(settings, None))
        self._metrics.guards["control"] = guard
        checks: list[grpc.aio.ServerInterceptor] = [self._make_peers(guard)]
        if settings.control_key_file is not None:
            checks.append(Key(read_key(settings.control_key_file)))
        checks.append(Admitted(guard))
        options = control_options(settings.join_seconds, settings.ping_seconds)
        self._control = Listener(options, checks, guard)
        service = ControlService(
            self._premises, self._blocks, self._archives, self._tokens, self.drain
        )
        control_pb2_grpc.add_ControlServicer_to_server(service, self._control.server)
        # The ladder holds the seats of people.
        seats = SeatService(self._tickets.redeem, SeatLimits(join_s=settings.join_seconds))
        handlers = WatchService(self._feeds).handlers(), seats.handlers()
        self._control.server.add_generic_rpc_handlers(handlers)
        self._control.name_services((control_pb2, "Control"), (watch_pb2, "Watch"))
        self._stack.push_async_callback(self._control.stop, LAST_WORDS)
        return await self._control.open("--control", settings.control, tls)

    def _measure(self) -> None:
        metrics, blocks = self._metrics, self._blocks
        metrics.gauges = Gauges(
            running=lambda: blocks.running,
            blocks=lambda: len(blocks),
            waiting=lambda: len(self._lobby),
            draining=lambda: blocks.is_draining,
        )
        if self._settings.metrics is not None:
            try:
                at, stop = serve_metrics(metrics, self._settings.metrics)
            except OSError as problem:
                why = (problem.strerror or "cannot be had").lower()
                raise SettingError(f"--metrics: {self._settings.metrics}: {why}") from None
            self._stack.callback(stop)
            _log.info("metrics_served", address=str(at))
        for task in (metrics.watch_lag(), self._keep_house()):
            self._tasks.append(asyncio.ensure_future(task))

    def _tell(self, at: Address, control_at: Address) -> None:
        settings = self._settings
        if settings.tls_cert is None and not at.is_local:
            _log.warning("no_tls", address=str(at), risk="tokens can be read on the way")
        if settings.unsafe:
            _log.warning("unsafe", risk="uploaded bots run without a sandbox and can do anything")
        _log.info("referee_started", listen=str(at), control=str(control_at), software=software())
        if settings.ready_file is not None:
            said = {"listen": str(at), "control": str(control_at), "pid": os.getpid()}
            part = settings.ready_file.with_name(settings.ready_file.name + ".part")
            try:
                part.write_text(json.dumps(said) + "\n")
                part.replace(settings.ready_file)
            except OSError as problem:
                raise SettingError(
                    f"--ready-file: {problem.filename}: {problem.strerror}"
                ) from None
            self._stack.callback(settings.ready_file.unlink, missing_ok=True)

    async def _keep_house(self) -> None:
        """Reread the token file whenever it changes; never returns."""
        while True:
            await asyncio.sleep(HOUSEKEEPING)
            try:
                self._tokens.reread()
            except TokensError as problem:
                _log.error("tokens_unreadable", why=str(problem), consequence="the old ones stay")

    # --- the end

    def drain(self, limit: float | None = None) -> None:
        """Accept no more blocks; `serve` returns when the running ones end, or at the limit."""
        if limit is None:
            limit = self._settings.drain_seconds
        asyncio.get_running_loop().call_later(limit, self._hurry.set)
        if self._draining.is_set():
            return
        _log.info("draining", limit_s=limit, running=self._blocks.running)
        self._blocks.drain()
        is_final = self._settings.temporary
        self._lobby.close_soon(Closing(0 if is_final else BACK_IN_MS, is_final))
        self._draining.set()

    def terminate(self) -> None:
        """Drain; on the second call, stop at once."""
        if self._draining.is_set():
            self._hurry.set()
        self.drain()

    async def serve(self) -> bool:
        """Run until drained, then close; return whether no block had to be cancelled."""
        try:
            await self._draining.wait()
            await self._public.refuse()
            await self._control.refuse()
            ending = asyncio.ensure_future(self._blocks.wait_until_over())
            hurried = asyncio.ensure_future(self._hurry.wait())
            either: list[asyncio.Future[object]] = [ending, hurried]  # type: ignore[list-item]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            in_time = ending.done()
            if not in_time:
                self._blocks.cancel_all("the referee stops")
                await asyncio.wait([ending], timeout=CLEARING)
            ending.cancel()
            hurried.cancel()
            return in_time
        finally:
            await self._close()

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._blocks.close()
        self._feeds.close()
        await self._stack.aclose()
        _log.info("referee_stopped")


def _runner_settings(settings: Settings) -> RunnerSettings:
    return RunnerSettings(
        run=settings.run,
        store=settings.store / "bots",
        unsafe=settings.unsafe,
        expose=settings.expose,
        runtimes=settings.runtimes,
        memory_mb=settings.sandbox_memory_mb,
        processes=settings.sandbox_processes,
        cpus=settings.sandbox_cpus,
        tmp_mb=settings.sandbox_tmp_mb,
        archive_mb=settings.upload_mb,
    )
