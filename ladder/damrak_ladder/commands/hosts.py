"""The command `damrak-ladder hosts`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Host


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "hosts",
        "list, trust and quarantine machines",
        "A machine is registered when its worker starts. A machine with unusual results or "
        "timings is quarantined until a member of staff trusts it again.",
        "damrak-ladder hosts list\ndamrak-ladder hosts trust attic",
    )
    listing = add_command(
        verbs,
        "list",
        "list machines",
        "Lists machines. The state shows whether a machine is trusted; the status is ready, "
        "closed (its worker accepts no blocks), quarantined, or silent (no heartbeat for 20 "
        "seconds, so its load is unknown).",
        "damrak-ladder hosts list --json",
        _list,
    )
    add_json(listing)
    trust = add_command(
        verbs,
        "trust",
        "end a quarantine",
        "The machine gets blocks again, and earlier problems no longer count against it. "
        "Check first why it was quarantined.",
        "damrak-ladder hosts trust attic",
        _trust,
    )
    trust.add_argument("name")
    quarantine = add_command(
        verbs,
        "quarantine",
        "quarantine a machine",
        "The machine gets no more blocks until a member of staff trusts it again. Blocks that"
        " it is playing do not count, and are played on other machines.",
        "damrak-ladder hosts quarantine attic --reason 'new memory'",
        _quarantine,
    )
    quarantine.add_argument("name")
    quarantine.add_argument("--reason", default="")


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
    from damrak_ladder.message_codes import block_codes as codes
    from damrak_ladder.message_codes.wording import english

    reason = codes.OperatorReason(args.reason) if args.reason else codes.OperatorDecision()
    is_new = quarantine(host.pk, reason, {"at": timezone.now().isoformat()})
    say(f"{host.name} is quarantined{'' if is_new else ' already: ' + english(host.reason)}")
    return 0


def _find(name: str) -> Host:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.models import Host

    host = Host.objects.filter(name=name).first()
    if host is None:
        raise Misuse(f"there is no machine {name!r}; see: damrak-ladder hosts list")
    return host
