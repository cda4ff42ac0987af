"""Style sheets and scripts, as the site serves them."""

from __future__ import annotations

import pytest
from django.test import Client

SHEET = "/static/damrak/site.css"


@pytest.fixture
def client() -> Client:
    return Client(SERVER_NAME="127.0.0.1")


def test_file_is_served_with_its_type(client: Client) -> None:
    answer = client.get(SHEET)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/css")
    assert len(answer.content) == int(answer["Content-Length"]) > 0


def test_file_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    etag = client.get(SHEET)["ETag"]
    again = client.get(SHEET, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_part_of_a_file_is_sent(client: Client) -> None:
    whole = client.get(SHEET).content
    part = client.get(SHEET, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])


def test_head_has_no_body_and_others_are_refused(client: Client) -> None:
    assert client.head(SHEET).content == b""
    assert client.post(SHEET).status_code == 405


def test_nothing_outside_is_served(client: Client) -> None:
    for path in ("/static/../settings.py", "/static/%2e%2e/settings.py", "/static/"):
        assert client.get(path).status_code == 404
