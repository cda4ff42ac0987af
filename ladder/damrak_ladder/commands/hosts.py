"""The command `damrak-ladder hosts`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.commands.printing import say, say_json, say_table
from damrak_ladder.misuse import Misuse

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Host


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "hosts",
        "see machines that play, and trust them",
        "A machine makes itself known when its worker starts. One whose results or timings deviate "
        "is quarantined until staff trusts it again.",
        "damrak-ladder hosts list\ndamrak-ladder hosts trust attic",
    )
    listing = add_command(
        verbs,
        "list",
        "which machines there are",
        "Lists machines. The state is whether a machine is trusted; the status is what it can do "
        "now: ready, closed (its worker takes nothing), quarantined, or silent (no heartbeat for "
        "20 seconds, so how much it is running is not known).",
        "damrak-ladder hosts list --json",
        _list,
    )
    add_json(listing)
    trust = add_command(
        verbs,
        "trust",
        "end a quarantine",
        "The machine is given blocks again; nothing that it did before is held against it. Look "
        "first at why it was quarantined.",
        "damrak-ladder hosts trust attic",
        _trust,
    )
    trust.add_argument("name")
    quarantine = add_command(
        verbs,
        "quarantine",
        "give a machine nothing more",
        "The machine is given no more blocks until somebody trusts it again. What it is playing "
        "does not count, and is played elsewhere.",
        "damrak-ladder hosts quarantine attic --reason 'new memory'",
        _quarantine,
    )
    quarantine.add_argument("name")
    quarantine.add_argument("--reason", default="by an operator")


def _list(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_ladder.matches.hosts import described
    from damrak_ladder.matches.models import Host

    now = timezone.now()
    rows = [described(host, now) for host in Host.objects.order_by("name")]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "No machine has been heard of: start `damrak-ladder worker` on one.")
    return 0


def _trust(args: argparse.Namespace) -> int:
    host = _find(args.name)
    from django.utils import timezone

    from damrak_ladder.matches.hosts import trust

    is_new = trust(host.pk, timezone.now())
    say(f"{host.name} is trusted{'' if is_new else ' already'}")
    return 0


def _quarantine(args: argparse.Namespace) -> int:
    host = _find(args.name)
    from django.utils import timezone

    from damrak_ladder.matches.hosts import quarantine

    is_new = quarantine(host.pk, args.reason, {"at": timezone.now().isoformat()})
    say(f"{host.name} is quarantined{'' if is_new else ' already: ' + host.reason}")
    return 0


def _find(name: str) -> Host:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.models import Host

    host = Host.objects.filter(name=name).first()
    if host is None:
        raise Misuse(f"there is no machine {name!r}; see: damrak-ladder hosts list")
    return host
