"""Visitors of the site for tests."""

from __future__ import annotations

import time
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from damrak_ladder.accounts.models import User


def visitor(user: User | str | None = None, **options: Any) -> Client:
    """Return a browser client, logged in as this user if one is given."""
    client = Client(HTTP_HOST="127.0.0.1", **options)
    if isinstance(user, str):
        user = User.objects.get(username=user)
    if user is not None:
        client.force_login(user)
        prove(client, user)
    return client


def prove(client: Client, user: User, age: float = 0) -> None:
    """Set the time since the user last entered the password."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time() - age}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def page(client: Client, path: str, status: int = 200) -> str:
    """Return the page in English; it must have this status."""
    response = client.get(f"/en{path}")
    assert response.status_code == status, (path, response.status_code)
    return response.content.decode()


def queries_of(client: Client, path: str) -> int:
    """Return the number of queries of a page."""
    with CaptureQueriesContext(connection) as captured:
        page(client, path)
    return len(captured)
