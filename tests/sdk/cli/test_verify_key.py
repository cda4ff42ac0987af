"""`damrak verify --key`: signatures, keys from files and ladders, boards that claim a name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cli import damrak
from damrak.cli import main
from damrak_engine.replay import hash_of
from sdk.sites import running_site

pytestmark = pytest.mark.process

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))


def hex_of(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def signed(data: dict[str, Any], key: Ed25519PrivateKey = KEY) -> dict[str, Any]:
    """Return the replay with a new hash, signed like that of a ladder."""
    data = {**data, "hash": hash_of(data)}
    return data | {"signature": key.sign(data["hash"].encode()).hex()}


def written(data: dict[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(data))
    return path


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a replay as saved by `damrak play`."""
    folder = tmp_path_factory.mktemp("games")
    run = damrak("play", "greedy", "random", "--games", "2", "--seed", "3", "--save", folder)
    assert run.returncode == 0, run.stderr
    data: dict[str, Any] = json.loads(min(folder.glob("*.json")).read_text("utf-8"))
    return data


@pytest.fixture(scope="module")
def platform(local: dict[str, Any]) -> dict[str, Any]:
    """Return the same match as one of a ladder."""
    return signed(local | {"match": "7", "block": "3", "ladder": "amsterdam"})


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "ladder.pub"
    path.write_text(f"# the ladder's\n{hex_of(KEY)}\n")
    return path


def reported(capsys: Any, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the verdict on the only file."""
    code = main(["verify", *map(str, arguments), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert len(report["files"]) == 1
    return code, report["files"][0]


def swapped(data: dict[str, Any]) -> dict[str, Any]:
    """Return a forgery: exchanged names and a valid hash, but the original signature."""
    forged = data | {"seats": data["seats"][::-1]}
    return forged | {"hash": hash_of(forged)}


def test_right_signature(
    platform: dict[str, Any], key_file: Path, tmp_path: Path, capsys: Any
) -> None:
    file = written(platform, tmp_path / "match.json")
    code, verdict = reported(capsys, file, "--key", key_file)
    assert (code, verdict["ok"], verdict["signature"]) == (0, True, "right")
    assert main(["verify", str(file), "--key", str(key_file)]) == 0
    assert capsys.readouterr().out == "1 of 1 replays are valid\n"


def test_forged_names_are_found_with_a_key(
    platform: dict[str, Any], key_file: Path, tmp_path: Path, capsys: Any
) -> None:
    file = written(swapped(platform), tmp_path / "forged.json")
    code, verdict = reported(capsys, file, "--key", key_file)
    assert (code, verdict["ok"]) == (1, False)
    assert (verdict["event"], verdict["signature"]) == ("signature", "wrong")
    assert main(["verify", str(file), "--key", str(key_file)]) == 1
    assert "wrong at signature" in capsys.readouterr().out


def test_without_a_key_the_signature_is_reported_as_not_checked(
    platform: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    file = written(swapped(platform), tmp_path / "forged.json")
    code, verdict = reported(capsys, file)
    assert (code, verdict["ok"], verdict["signature"]) == (0, True, "unchecked")
    assert main(["verify", str(file), str(file)]) == 0
    told = capsys.readouterr().out
    assert "2 of 2 replays are valid" in told
    assert "signature NOT checked (2 files)" in told
    assert "--key" in told


@pytest.mark.parametrize("key", [[], ["--key"]])
@pytest.mark.parametrize(
    "signature", ["00" * 64, "0f" * 63, "0f" * 65, "xy" * 64, "0f" * 32 + "ff" * 32, "", 7]
)
def test_malformed_signatures_are_wrong_with_and_without_a_key(
    platform: dict[str, Any],
    key_file: Path,
    tmp_path: Path,
    capsys: Any,
    signature: object,
    key: list[str],
) -> None:
    file = written(platform | {"signature": signature}, tmp_path / "match.json")
    code, verdict = reported(capsys, file, *key, *([key_file] if key else []))
    assert (code, verdict["event"], verdict["signature"]) == (1, "signature", "wrong")


def test_a_replay_without_a_signature(
    local: dict[str, Any], key_file: Path, tmp_path: Path, capsys: Any
) -> None:
    file = written(local, tmp_path / "match.json")
    code, verdict = reported(capsys, file)
    assert (code, verdict["ok"], verdict["signature"]) == (0, True, "none")
    code, verdict = reported(capsys, file, "--key", key_file)
    assert (code, verdict["event"], verdict["signature"]) == (1, "signature", "none")


def test_an_error_before_the_signature_leaves_it_unchecked(
    platform: dict[str, Any], key_file: Path, tmp_path: Path, capsys: Any
) -> None:
    data = json.loads(json.dumps(platform))
    data["result"]["seats"][0]["total"] += 1
    code, verdict = reported(capsys, written(data, tmp_path / "a.json"), "--key", key_file)
    assert (code, verdict["event"], verdict["signature"]) == (1, "result", "unchecked")


def pem(_: Path) -> bytes:
    return KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def answer(_: Path) -> bytes:
    keys = [hex_of(OTHER), hex_of(KEY)]
    said = {"algorithm": "Ed25519", "public_key": keys[0], "keys": keys}
    return json.dumps(said).encode()


def several(_: Path) -> bytes:
    return f"{hex_of(OTHER)}\n{hex_of(KEY).upper()} # the earlier one".encode()


def one_key(_: Path) -> bytes:
    return json.dumps({"algorithm": "Ed25519", "public_key": hex_of(KEY)}).encode()


@pytest.mark.parametrize("content", [pem, answer, several, one_key])
def test_forms_of_a_file_of_keys(
    platform: dict[str, Any], tmp_path: Path, capsys: Any, content: Callable[[Path], bytes]
) -> None:
    keys = tmp_path / "key"
    keys.write_bytes(content(tmp_path))
    code, verdict = reported(capsys, written(platform, tmp_path / "m.json"), "--key", keys)
    assert (code, verdict["signature"]) == (0, "right")


EC_KEY = generate_private_key(SECP256R1()).public_key()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# nothing else",
        b"abcd",
        b"\xff\xfe",
        b"{}",
        b'{"algorithm": "Ed25519", "keys": []}',
        b'{"algorithm": "Ed25519", "keys": "x"}',
        b'{"algorithm": "RSA", "public_key": "' + b"ab" * 32 + b'"}',
        EC_KEY.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        b"ab" * 100_000,
    ],
)
def test_a_file_without_a_key_is_refused(
    platform: dict[str, Any], tmp_path: Path, capsys: Any, content: bytes
) -> None:
    keys = tmp_path / "key"
    keys.write_bytes(content)
    file = written(platform, tmp_path / "m.json")
    assert main(["verify", str(file), "--key", str(keys)]) == 2
    assert "not an Ed25519 public key" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("nokey", "neither a file with a key nor the URL of a ladder"),
        ("http://ladder.example.org", "could be replaced"),
        ("ftp://ladder.example.org", "ladder.example.org"),
    ],
)
def test_neither_file_nor_ladder_is_refused(
    platform: dict[str, Any], tmp_path: Path, capsys: Any, named: str, reason: str
) -> None:
    file = written(platform, tmp_path / "m.json")
    assert main(["verify", str(file), "--key", named]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("field", ["id", "name"])
def test_a_board_with_a_published_name_must_be_that_board(
    local: dict[str, Any], tmp_path: Path, capsys: Any, field: str
) -> None:
    data = json.loads(json.dumps(local))
    data["board"]["locations"][0]["name"] = "Elsewhere"
    data["board"]["id" if field == "name" else "name"] = "mine"
    code, verdict = reported(capsys, written(data | {"hash": hash_of(data)}, tmp_path / "a.json"))
    assert (code, verdict["event"]) == (1, "header")
    assert "published board amsterdam" in verdict["expected"]
    data["board"] |= {"id": "mine", "name": "Mine"}
    code, verdict = reported(capsys, written(data | {"hash": hash_of(data)}, tmp_path / "b.json"))
    assert code == 0


def test_keys_reach_every_process(platform: dict[str, Any], key_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(410):
        written(platform, folder / f"{number:03}.json")
    written(swapped(platform), folder / "300.json")
    report = json.loads(damrak("verify", folder, "--key", key_file, "--json").stdout)
    assert (report["ok"], report["wrong"]) == (409, 1)
    assert report["files"][300]["signature"] == "wrong"
    assert {file["signature"] for file in report["files"]} == {"right", "wrong"}


_SIGN = """
from damrak_ladder.replays.signatures import platform_key
print(platform_key().sign("{hash}"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the ladder runs on Unix")
def test_the_address_of_a_ladder_is_enough(
    platform: dict[str, Any], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    foreign = written(platform, tmp_path / "foreign.json")
    with running_site(tmp_path_factory.mktemp("site")) as site:
        signature = site.say(_SIGN.format(hash=platform["hash"]))
        genuine = written(platform | {"signature": signature}, tmp_path / "genuine.json")
        forged = written(swapped(json.loads(genuine.read_text())), tmp_path / "forged.json")
        for named in (site.url, f"{site.url}/en/matches/7/"):
            run = site.damrak(
                *("verify", genuine, foreign, forged, "--key", named, "--json"),
                config=tmp_path / "config",
            )
            assert run.returncode == 1, run.stderr
            files = json.loads(run.stdout)["files"]
            assert [file["signature"] for file in files] == ["right", "wrong", "wrong"]
    run = site.damrak("verify", genuine, "--key", site.url, config=tmp_path / "config")
    assert run.returncode == 2
    assert site.url in run.stderr
