"""Comparison of the tables with this software, independent of recorded migrations.

Before the first release, migrations are rewritten when tables change, so a data folder of earlier
sources claims to be up to date although it is not.
"""

from __future__ import annotations

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from damrak_ladder.usage_errors import Misuse


def bring_up_to_date() -> None:
    """Create or migrate the tables, so that they match this software.

    Raises:
        Misuse: they are from other sources and cannot be migrated; the message explains the fix.
        DatabaseError: the database fails for another reason.
    """
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as problem:
        # A migration has met unexpected tables, unless there are none at all.
        if not (_has_tables() and difference()):
            raise
        raise Misuse(_words(str(problem).strip().partition("\n")[0])) from None
    if found := difference():
        raise Misuse(_words(found))


def difference() -> str | None:
    """Return the first difference between the tables and the models, in words, or None.

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
                return f"table {meta.db_table} is missing"
            found = {column.name for column in look.get_table_description(cursor, meta.db_table)}
            wanted = {field.column or "" for field in meta.local_concrete_fields}
            if lacking := sorted(wanted - found):
                return f"table {meta.db_table} has no column {lacking[0]}"
            if unknown := sorted(found - wanted):
                return f"table {meta.db_table} has a column {unknown[0]}"
    return None


def cure() -> str:
    """Return how to fix tables of other sources."""
    if connection.vendor == "sqlite":
        home = settings.DAMRAK_HOME
        return f"move the data folder away (mv {home} {home}.old) and start with a new one"
    return "start with an empty database"


def _has_tables() -> bool:
    return bool(connection.introspection.table_names())


def _words(found: str) -> str:
    return (
        f"the database was created by a different version before the first release ({found}), and "
        f"cannot be migrated: {cure()}, or use the version that created it"
    )
