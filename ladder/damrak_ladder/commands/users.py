"""The command `damrak-ladder users`."""

from __future__ import annotations

import argparse
import secrets
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.accounts.models import User

ROLES: Final = ("author", "organiser", "staff")
_EXAMPLES: Final = """
damrak-ladder users list
damrak-ladder users add ann ann@example.org --role organiser
damrak-ladder users role ann staff
damrak-ladder users password ann
damrak-ladder users deactivate ann
damrak-ladder users export ann > ann.json
damrak-ladder users delete ann --yes
"""


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands, "users", "see and change accounts", "Accounts of this ladder.", _EXAMPLES
    )
    listing = add_command(
        verbs,
        "list",
        "list accounts",
        "Lists accounts with role, address, number of bots and last login.",
        "damrak-ladder users list\ndamrak-ladder users list --json",
        _list,
    )
    add_json(listing)
    add = add_command(
        verbs,
        "add",
        "create an account",
        "Creates an account and prints its password, which is shown only once. The email "
        "address counts as verified.",
        "damrak-ladder users add ann ann@example.org\n"
        "damrak-ladder users add bob bob@example.org --role staff",
        _add,
    )
    add.add_argument("name")
    add.add_argument("email")
    add.add_argument("--role", choices=ROLES, default="author")
    role = add_command(
        verbs,
        "role",
        "change the role of a user",
        "Authors have bots, organisers run tournaments and manage the queue, and staff have "
        "all permissions.",
        "damrak-ladder users role ann organiser",
        _role,
    )
    role.add_argument("name")
    role.add_argument("role", choices=ROLES)
    for verb, summary, text, run in (
        (
            "password",
            "set a new random password",
            "Sets a new random password and prints it once. All sessions of the account end. "
            "The second factor is kept.",
            _password,
        ),
        (
            "remove-factor",
            "remove the second factor of an account",
            "For users who have lost their second factor and their recovery codes. Verify the"
            " identity of the user first. Organisers and staff must set up a new second "
            "factor before they can use their role.",
            _remove_factor,
        ),
        (
            "export",
            "export the personal data of a user",
            "Prints the JSON file that users can also download from their account pages.",
            _export,
        ),
        (
            "deactivate",
            "deactivate an account",
            "The user can no longer log in, and tokens of the account are rejected. The bots "
            "continue to play.",
            _deactivate,
        ),
        ("activate", "reactivate an account", "Reverses `deactivate`.", _activate),
    ):
        parser = add_command(verbs, verb, summary, text, f"damrak-ladder users {verb} ann", run)
        parser.add_argument("name")
        if verb == "password":
            parser.add_argument(
                "--revoke-tokens",
                action="store_true",
                help="also revoke all tokens, including those of remote bots",
            )
    _add_deletion(verbs)


def _add_deletion(verbs: Any) -> None:
    delete = add_command(
        verbs,
        "delete",
        "delete an account",
        "Deletes the account and all personal data of the user. The bots leave their ladders "
        "and are assigned to the account former-author. Matches and ratings are kept. This "
        "cannot be undone, so --yes is required.",
        "damrak-ladder users export ann > ann.json\ndamrak-ladder users delete ann --yes",
        _delete,
    )
    delete.add_argument("name")
    delete.add_argument("--yes", action="store_true", help="confirm the deletion")


def _list(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from django.db.models import Count

    from damrak_ladder.accounts.models import User

    users = User.objects.annotate(bot_count=Count("bots")).order_by("username")
    rows = [
        {
            "name": user.username,
            "email": user.email,
            "role": str(user.role),
            "active": user.is_active,
            "bots": user.bot_count,
            "joined": user.date_joined,
            "last_login": user.last_login,
        }
        for user in users.iterator()
    ]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "There are no accounts: damrak-ladder users add NAME EMAIL --role staff")
    return 0


def _add(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from allauth.account.models import EmailAddress
    from django.core.exceptions import ValidationError
    from django.db import transaction

    from damrak_ladder.accounts.models import Role, User
    from damrak_ladder.accounts.roles import grant
    from damrak_ladder.security import SecurityEvent, record

    if User.objects.filter(username__iexact=args.name).exists():
        raise Misuse(f"the user {args.name} already exists")
    if User.objects.filter(email__iexact=args.email).exists():
        raise Misuse(f"a user with the address {args.email} already exists")
    user = User(username=args.name, email=args.email)
    password = _new_password(user)
    try:
        user.full_clean()
    except ValidationError as problem:
        found = problem.message_dict.items()
        said = "; ".join(f"{field}: {' '.join(texts)}" for field, texts in found)
        raise Misuse(said) from None
    with transaction.atomic():
        user.save()
        record(SecurityEvent.ACCOUNT_CREATED, user=user)
        grant(user, Role(args.role))
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    say(f"{user.username} can log in with the password {password}")
    return 0


def _role(args: argparse.Namespace) -> int:
    user = _find(args.name)
    from damrak_ladder.accounts.models import Role
    from damrak_ladder.accounts.roles import grant

    grant(user, Role(args.role))
    say(f"{user.username} is {args.role}")
    return 0


def _password(args: argparse.Namespace) -> int:
    user = _find(args.name)
    if not user.email:
        raise Misuse(f"{user.username} is a system account without login")
    from django.utils import timezone

    from damrak_ladder.accounts.sessions import end_sessions
    from damrak_ladder.accounts.tokens import revoke_all
    from damrak_ladder.security import SecurityEvent, record

    password = _new_password(user)
    user.save(update_fields=["password"])
    record(SecurityEvent.PASSWORD_CHANGED, user=user)
    end_sessions(user)
    if args.revoke_tokens:
        revoke_all(user, timezone.now())
    say(f"{user.username} can log in with the password {password}")
    return 0


def _remove_factor(args: argparse.Namespace) -> int:
    user = _find(args.name)
    from allauth.mfa.models import Authenticator

    from damrak_ladder.security import SecurityEvent, record

    count, _ = Authenticator.objects.filter(user=user).delete()
    if count:
        record(SecurityEvent.SECOND_FACTOR_REMOVED, user=user)
    say(f"{user.username} {'no longer has a second factor' if count else 'had no second factor'}")
    return 0


def _export(args: argparse.Namespace) -> int:
    user = _find(args.name)
    from django.utils import timezone

    from damrak_ladder.account_data.export import export

    say_json(export(user, timezone.now()))
    return 0


def _delete(args: argparse.Namespace) -> int:
    user = _find(args.name)
    if not user.email:
        raise Misuse(f"{user.username} is a system account and cannot be deleted")
    from django.utils import timezone

    from damrak_ladder.account_data.deletion import delete_account
    from damrak_ladder.accounts.errors import LastAdministrator

    if not args.yes:
        raise Misuse(f"this deletes {user.username} permanently; to confirm, add --yes")
    try:
        delete_account(user, timezone.now())
    except LastAdministrator as problem:
        raise Misuse(str(problem)) from None
    say(f"{args.name} was deleted")
    return 0


def _deactivate(args: argparse.Namespace) -> int:
    return _set_active(args.name, False)


def _activate(args: argparse.Namespace) -> int:
    return _set_active(args.name, True)


def _set_active(name: str, is_active: bool) -> int:
    user = _find(name)
    if is_active and not user.email:
        raise Misuse(f"{user.username} is a system account without login")
    user.is_active = is_active
    user.save(update_fields=["is_active"])
    from damrak_ladder.security import SecurityEvent, record

    kind = SecurityEvent.ACCOUNT_ACTIVATED if is_active else SecurityEvent.ACCOUNT_DEACTIVATED
    record(kind, user=user)
    say(f"{user.username} {'can log in' if is_active else 'is deactivated'}")
    return 0


def _find(name: str) -> User:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.accounts.models import User

    user = User.objects.filter(username__iexact=name).first()
    if user is None:
        raise Misuse(f"there is no user {name!r}; see: damrak-ladder users list")
    return user


def _new_password(user: User) -> str:
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    return password
