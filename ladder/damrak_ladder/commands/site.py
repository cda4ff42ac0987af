"""The command `damrak-ladder site`."""

from __future__ import annotations

import argparse
import os
from typing import Any

from damrak_ladder.commands.parser import add_command


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(
        commands,
        "site",
        "serve the site and the API",
        """
        Serves the site and the API at DAMRAK_LADDER_LISTEN (default: 127.0.0.1), port
        DAMRAK_PORT (default: 8000). Several processes can run behind a proxy. With
        DAMRAK_LADDER_BEHIND_PROXY=yes, the client address that the proxies at
        DAMRAK_LADDER_PROXIES report is trusted. Ctrl-C or SIGTERM stops the process.
        """,
        """
        damrak-ladder site
        DAMRAK_PORT=9000 damrak-ladder site
        """,
        run,
    )


def run(_: argparse.Namespace) -> int:
    """Serve until stopped."""
    from damrak_ladder.installation.logs import log_to_stderr
    from damrak_ladder.management import prepare

    log_to_stderr()
    prepare()
    import uvicorn

    from damrak_ladder.http_server import DeadlineProtocol, SiteServer
    from damrak_ladder.installation.environment import read_environment

    environment = read_environment(os.environ)
    server = SiteServer(
        uvicorn.Config(
            "damrak_ladder.asgi:application",
            host=environment.listen,
            port=environment.port,
            http=DeadlineProtocol,
            lifespan="off",
            access_log=False,
            log_config=None,  # as in all our processes
            server_header=False,
            proxy_headers=environment.behind_proxy,
            forwarded_allow_ips=environment.proxies,
            # Requests for live updates do not end by themselves.
            timeout_graceful_shutdown=3,
        ),
        _end_streams,
    )
    server.run()
    return 0 if server.started else 1


def _end_streams() -> None:
    from damrak_ladder.api.streams.hub import HUB

    HUB.end("shutdown")
