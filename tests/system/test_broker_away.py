"""A clerk that was busy while its broker was unavailable continues when the broker is back."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

import redis

from damrak_ladder.installation.brokers import pulse_age
from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import read_environment
from ladder.databases import create_tables, use_database
from referee_process import short_folder
from system.broker import Broker
from system.plant import Process, wait_until


def test_clerk_that_could_not_acknowledge_a_message_takes_others(django_db_blocker: Any) -> None:
    with short_folder() as folder, Broker(folder) as broker, contextlib.ExitStack() as stack:
        variables = {"DAMRAK_HOME": str(folder), "DAMRAK_LADDER_BROKER": broker.url}
        with django_db_blocker.unblock():
            use_database(database_of(read_environment(variables)))
            create_tables()

        def started(name: str) -> Process:
            process = Process(folder / f"{name}.log", variables, name)
            stack.callback(process.kill)
            return process

        def has_pulse() -> bool:
            with contextlib.suppress(redis.RedisError):  # it tries once, with a short timeout
                return pulse_age(broker.url, "clerk") is not None
            return False

        def is_stopped_with_work() -> bool:
            """Suspend the clerk; return whether it has unacknowledged work."""
            clerk.process.send_signal(signal.SIGSTOP)
            with redis.Redis(unix_socket_path=str(broker.socket)) as client:
                if client.hlen("unacked"):
                    return True
            clerk.process.send_signal(signal.SIGCONT)
            return False

        clerk = started("clerk")
        started("beat")
        wait_until(has_pulse, clerk.log.read_text)
        deputies = clerk.children
        for deputy in deputies:
            os.kill(deputy, signal.SIGSTOP)
        wait_until(is_stopped_with_work, clerk.log.read_text)
        broker.kill()
        for process in (clerk.process.pid, *deputies):
            os.kill(process, signal.SIGCONT)
        wait_until(lambda: "Couldn't ack" in clerk.log.read_text(), clerk.log.read_text)
        broker.start()
        wait_until(has_pulse, clerk.log.read_text)
