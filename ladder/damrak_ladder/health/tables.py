"""Whether the tables are those of this software, whatever the database remembers of migrations.

Before the first release migrations are written anew when tables change, so a data folder of
earlier sources claims to be up to date, and is not.
"""

from __future__ import annotations

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from damrak_ladder.misuse import Misuse


def bring_up_to_date() -> None:
    """Make or change the tables, so that they are those of this software.

    Raises:
        Misuse: they are of other sources, and cannot become ours; names the cure.
        DatabaseError: the database does not do as it is told, for a reason of its own.
    """
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as problem:
        # A migration that meets what it did not expect, unless nothing is there at all.
        if not (_has_tables() and difference()):
            raise
        raise Misuse(_words(str(problem).strip().partition("\n")[0])) from None
    if found := difference():
        raise Misuse(_words(found))


def difference() -> str | None:
    """The first table that is not as this software makes it, in words; None if there is none.

    Raises:
        DatabaseError: the database does not answer.
    """
    look = connection.introspection
    with connection.cursor() as cursor:
        there = {table.name for table in look.get_table_list(cursor)}
        for model in apps.get_models(include_auto_created=True):
            meta = model._meta
            if not meta.managed or meta.proxy:
                continue
            if meta.db_table not in there:
                return f"there is no table {meta.db_table}"
            found = {column.name for column in look.get_table_description(cursor, meta.db_table)}
            wanted = {field.column or "" for field in meta.local_concrete_fields}
            if lacking := sorted(wanted - found):
                return f"table {meta.db_table} has no column {lacking[0]}"
            if unknown := sorted(found - wanted):
                return f"table {meta.db_table} has a column {unknown[0]}"
    return None


def cure() -> str:
    """What to do about tables that are not ours."""
    if connection.vendor == "sqlite":
        home = settings.DAMRAK_HOME
        return f"set the data folder aside (mv {home} {home}.old) and begin a new one"
    return "begin with an empty database"


def _has_tables() -> bool:
    return bool(connection.introspection.table_names())


def _words(found: str) -> str:
    return (
        f"the database was made by other sources than these ({found}), from before a release, and "
        f"cannot be carried over: {cure()}, or go back to the sources that made it"
    )
