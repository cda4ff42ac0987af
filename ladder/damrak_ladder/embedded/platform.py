"""The platform's lifecycle: preparation, start, supervision and shut-down."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import redis

from damrak_ladder.embedded import valkey
from damrak_ladder.embedded.load import Governor, seconds_of_tree
from damrak_ladder.embedded.lock import HomeLock
from damrak_ladder.embedded.places import Places
from damrak_ladder.embedded.plans import Size, plans
from damrak_ladder.embedded.ports import Address, check_site, lobby_address
from damrak_ladder.embedded.supervisor import Supervisor
from damrak_ladder.health.addresses import LIVE, PATH
from damrak_ladder.installation.brokers import connect_to, tell_broker
from damrak_ladder.installation.environment import PREFIX, Environment

BEGIN_PATIENCE_S: Final = 300.0
WELL_PATIENCE_S: Final = 45.0

Say = Callable[[str], None]


def run_platform(environment: Environment, size: Size, say: Say, admin: str | None = None) -> int:
    """Run until Ctrl-C or SIGTERM; return the exit code. `admin` names a first administrator.

    Raises:
        Misuse: it cannot run; the message explains how to fix that.
    """
    places = Places.of(environment.home)
    site = Address(environment.listen, environment.port)
    with HomeLock(places.lock, environment.url):
        check_site(site)
        places.logs.mkdir(mode=0o700, exist_ok=True)
        broker = environment.broker or valkey.url(places)
        tell_broker(environment.home, broker)
        os.environ[PREFIX + "BROKER"] = broker
        welcome = _prepare(places, environment, say, admin)
        parts = plans(environment, places, broker, lobby_address(environment.listen), size)
        governor = None
        if size.share is not None and seconds_of_tree(os.getpid()) is not None:
            governor = Governor(size.share, size.processors)
        supervisor = Supervisor(parts, places.logs, environment.home, governor, say)
        with supervisor.listening():
            if not _start(supervisor, places, broker, site, say):
                return _leave(supervisor, say)
            for line in welcome:
                say(line)
            supervisor.run()
            return _leave(supervisor, say)


def _prepare(
    places: Places, environment: Environment, say: Say, admin_name: str | None
) -> list[str]:
    """Create missing tables, administrator and ladders; return the lines to print at the end."""
    say("Preparing the database …")
    from damrak_ladder.management import load

    load()
    from django.db import connection

    from damrak_ladder.embedded import initial_data
    from damrak_ladder.health.tables import bring_up_to_date
    from damrak_ladder.matches.attempts import end_former, patience
    from damrak_ladder.standings.progress import end_publishing

    now = datetime.now(UTC)
    bring_up_to_date()
    end_publishing(now)
    if ended := end_former(environment.host_name, now, now, patience()):
        say(f"{ended} blocks were cut off when it last ended; they are played again")
    admin = initial_data.make_admin(places.password, now, admin_name)
    password = initial_data.first_password(places.password, admin)
    for ladder in initial_data.make_ladders(now):
        say(f"New ladder: {ladder.name}")
    if (league := initial_data.make_league(admin, now)) is not None:
        say(f"New tournament: {league.name}")
    has_key = initial_data.make_local_key(admin, now)
    connection.close()
    return _welcome(environment, admin.username, password, has_key)


def _start(supervisor: Supervisor, places: Places, broker: str, site: Address, say: Say) -> bool:
    """Start the parts; return whether the site answers."""
    names = [part.plan.name for part in supervisor.parts]
    say(f"Starting {', '.join(names)} …")
    places.referee.unlink(missing_ok=True)
    if "broker" in names:
        supervisor.start("broker")
        supervisor.wait(lambda: _answers(broker), BEGIN_PATIENCE_S)
    for name in names:
        if name != "broker":
            supervisor.start(name)
    if not supervisor.wait(lambda: _is_live(site), BEGIN_PATIENCE_S):
        if not supervisor.is_to_stop:
            say(f"the site does not answer; see {places.logs}")
        return False
    if supervisor.wait(lambda: _health(site) == {}, WELL_PATIENCE_S):
        return True
    for name, state in (_health(site) or {}).items():
        say(f"not well: {name}: {state}")
    return not supervisor.is_to_stop


def _welcome(
    environment: Environment, admin: str, password: str | None, has_key: bool
) -> list[str]:
    url = environment.url
    if password is None:
        login = f"{admin}, with your password (or: damrak-ladder users password {admin})"
    else:
        login = f"{admin}, password {password} (shown until you change it)"
    submit = f"damrak submit my-bot --bot my-bot --to {url}"
    lines = [
        "",
        f"Damrak is at {url}",
        "",
        f"  administrator   {login}",
        f"  your own bot    damrak new my-bot && {submit}",
        f"  data and logs   {environment.home}",
        "  stop            Ctrl-C; the same command continues where it was",
        "",
    ]
    if not has_key:
        lines.insert(
            -1, "  submitting needs `damrak login` first: the administrator has too many tokens"
        )
    return lines


def _leave(supervisor: Supervisor, say: Say) -> int:
    if not supervisor.is_to_stop:
        return 1
    say("Stopping …")
    return 0


def _answers(broker: str) -> bool:
    try:
        with connect_to(broker) as connected:
            return bool(connected.ping())
    except (redis.RedisError, OSError):
        return False


def _is_live(site: Address) -> bool:
    """Return whether the process of the site answers, even if other parts are down."""
    return _asked(site, LIVE) is not None


def _health(site: Address) -> dict[str, str] | None:
    """Return the parts that are not well; None if the site does not answer."""
    found = _asked(site, PATH)
    return found and {name: state for name, state in found.items() if state != "well"}


def _asked(site: Address, path: str) -> dict[str, str] | None:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(site.host, site.host)  # noqa: S104
    connection = http.client.HTTPConnection(host, site.port, timeout=5)
    try:
        connection.request("GET", path)
        found: dict[str, str] = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return found
