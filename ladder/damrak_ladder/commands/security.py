"""The command `damrak-ladder security`."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from damrak_ladder.commands.output import say_json, say_table
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "security",
        "show the security log",
        "Lists sign-ins, failed sign-ins, lockouts, changes of passwords, addresses, second "
        "factors, roles and tokens, and refused access, newest first. Filters can be combined.",
        """
        damrak-ladder security
        damrak-ladder security --kind sign_in_failed --since 2030-01-31
        damrak-ladder security --user ann --json
        damrak-ladder security --address 192.0.2.7 --limit 500
        """,
        _run,
    )
    parser.add_argument("--kind", default="", help="one kind of event, such as sign_in_failed")
    parser.add_argument("--user", default="", help="the name of an account")
    parser.add_argument("--address", default="", help="the address of the client")
    parser.add_argument("--since", type=_moment, help="a date or time in UTC, inclusive")
    parser.add_argument("--until", type=_moment, help="a date or time in UTC, exclusive")
    parser.add_argument("--limit", type=int, default=100, help="number of entries (default: 100)")
    add_json(parser)


def _run(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.security import SecurityEvent
    from damrak_ladder.security.queries import entries

    if args.kind and args.kind not in SecurityEvent.values:
        raise Misuse(f"--kind {args.kind}: choose from {', '.join(SecurityEvent.values)}")
    found = entries(
        kind=args.kind, user=args.user, address=args.address, since=args.since, until=args.until
    )
    rows: list[dict[str, Any]] = [
        {
            "at": entry.at,
            "kind": entry.kind,
            "user": entry.name or None,
            "address": entry.address or None,
            "times": entry.times,
            "detail": entry.detail,
        }
        for entry in found[: max(0, args.limit)]
    ]
    if args.json:
        say_json(rows)
        return 0
    for row in rows:
        row["at"] = f"{row['at']:%Y-%m-%d %H:%M:%S}"
        row["detail"] = ", ".join(f"{key}={value}" for key, value in row["detail"].items())
    say_table(rows, "No entry matches.")
    return 0


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not like 2030-01-31 or 2030-01-31T12:00"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
