"""Style sheets and scripts, as served by the site."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.templatetags.static import static
from django.test import Client, override_settings

from damrak_ladder.statics.collection import collect

SHEET = "/static/damrak/site.css"
IMPORT = re.compile(r"""(?:from|import)\s*["'](\./[^"']+)["']""")


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


@pytest.fixture
def collected(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of static files as collected before a site starts."""
    folder = collect(tmp_path)
    with override_settings(STATIC_ROOT=folder):
        yield folder


def test_name_follows_from_the_content_and_is_kept_for_good(
    collected: Path, client: Client
) -> None:
    url = static("damrak/site.css")
    assert re.fullmatch(r"/static/damrak/site\.[0-9a-f]{12}\.css", url)
    answer = client.get(url, headers={"Accept-Encoding": "gzip"})
    assert "immutable" in answer["Cache-Control"]
    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.content) == client.get(SHEET).content
    assert "immutable" not in client.get(SHEET)["Cache-Control"]


def test_scripts_import_one_another_by_such_names(collected: Path, client: Client) -> None:
    url = static("damrak/viewer/viewer.js")
    seen, waiting = set(), [url]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        answer = client.get(at)
        assert answer.status_code == 200, at
        assert "immutable" in answer["Cache-Control"], at
        waiting += [urljoin(at, found) for found in IMPORT.findall(answer.content.decode())]
    assert len(seen) > 5


def test_collecting_is_idempotent_and_safe_in_parallel(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        [folder] = set(pool.map(collect, [tmp_path] * 6))
    assert list(tmp_path.iterdir()) == [folder]
    before = (folder / "staticfiles.json").stat()
    assert collect(tmp_path) == folder
    assert (folder / "staticfiles.json").stat() == before


def test_earlier_collections_are_kept_for_a_while(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"old-{number}").mkdir()
        os.utime(tmp_path / f"old-{number}", (number, number))
    (tmp_path / ".begun-by-somebody").mkdir()
    (tmp_path / ".left-by-somebody").mkdir()
    os.utime(tmp_path / ".left-by-somebody", (1, 1))
    folder = collect(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {folder.name, "old-3", "old-4", ".begun-by-somebody"}


def test_without_a_collection_files_have_their_own_names() -> None:
    assert static("damrak/site.css") == SHEET
