"""Bot specs: what they refer to, and the one-line error if it does not exist."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from damrak.errors import BotError, BotFileError, BotNotFound, BotSpecError
from damrak.specs import content_hash, make_bot, parse_spec

ONE = "from damrak import Bot\nclass Mine(Bot):\n    def choose(self, view): return view.legal[0]\n"
TWO = ONE + "class Other(Mine):\n    pass\nclass Third(Bot):\n    pass\n"


@pytest.fixture(autouse=True)
def _same_path() -> Iterator[None]:
    path = sys.path[:]
    yield
    sys.path[:] = path


def _write(path: Path, text: str = ONE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_house_bot_by_name() -> None:
    spec = parse_spec("greedy")
    assert spec.is_house
    assert spec.name == "greedy"
    assert make_bot(spec).name == "greedy"


def test_house_bots_version_is_that_of_their_sources() -> None:
    assert parse_spec("greedy").version == parse_spec("random").version
    assert len(parse_spec("greedy").version) == 12


def test_house_bot_goes_before_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "random" / "bot.py")
    monkeypatch.chdir(tmp_path)
    assert parse_spec("random").is_house
    assert not parse_spec("./random").is_house


def test_file(tmp_path: Path) -> None:
    spec = parse_spec(str(_write(tmp_path / "fast.py")))
    assert spec.name == "fast"
    assert type(make_bot(spec)).__name__ == "Mine"


def test_folder(tmp_path: Path) -> None:
    _write(tmp_path / "careful" / "bot.py")
    spec = parse_spec(str(tmp_path / "careful"))
    assert spec.name == "careful"
    assert spec.path == tmp_path / "careful" / "bot.py"


def test_bot_py_is_called_by_its_folder(tmp_path: Path) -> None:
    assert parse_spec(str(_write(tmp_path / "careful" / "bot.py"))).name == "careful"


def test_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _write(tmp_path / "fast.py")
    monkeypatch.chdir(tmp_path)
    assert parse_spec("fast.py").path == file


def test_one_class_of_several(tmp_path: Path) -> None:
    file = _write(tmp_path / "several.py", TWO)
    spec = parse_spec(f"{file}:Mine")
    assert spec.name == "several:Mine"
    assert type(make_bot(spec)).__name__ == "Mine"


def test_class_in_a_folder(tmp_path: Path) -> None:
    _write(tmp_path / "several" / "bot.py", TWO)
    assert type(make_bot(parse_spec(f"{tmp_path / 'several'}:Third"))).__name__ == "Third"


def test_the_most_derived_class_is_the_bot(tmp_path: Path) -> None:
    family = ONE + "class Better(Mine):\n    pass\n"
    assert type(make_bot(parse_spec(str(_write(tmp_path / "f.py", family))))).__name__ == "Better"


def test_house_bot_that_was_imported_to_be_extended_is_not_the_bot(tmp_path: Path) -> None:
    text = "from damrak.bots.greedy import GreedyBot\nclass Mine(GreedyBot):\n    pass\n"
    assert type(make_bot(parse_spec(str(_write(tmp_path / "g.py", text))))).__name__ == "Mine"


def test_bot_may_be_in_another_file(tmp_path: Path) -> None:
    _write(tmp_path / "two" / "brain_of_two.py")
    _write(tmp_path / "two" / "bot.py", "from brain_of_two import Mine\n")
    assert type(make_bot(parse_spec(str(tmp_path / "two")))).__module__ == "brain_of_two"


def test_file_named_like_a_module_replaces_none(tmp_path: Path) -> None:
    before = sys.modules["json"]
    make_bot(parse_spec(str(_write(tmp_path / "json.py"))))
    assert sys.modules["json"] is before


@pytest.mark.parametrize("text", ["nobody", "no/such/file.py", "no/such/file.py:Mine", ""])
def test_nothing_of_that_name(text: str) -> None:
    with pytest.raises(BotNotFound) as caught:
        parse_spec(text)
    assert "\n" not in str(caught.value)
    assert caught.value.spec == text


def test_misspelt_house_bot_is_recognised() -> None:
    with pytest.raises(BotNotFound, match="did you mean greedy"):
        parse_spec("gredy")


def test_folder_without_a_bot(tmp_path: Path) -> None:
    with pytest.raises(BotNotFound, match=r"no bot\.py"):
        parse_spec(str(tmp_path))


def test_file_that_is_not_python(tmp_path: Path) -> None:
    with pytest.raises(BotSpecError, match=r"\.py"):
        parse_spec(str(_write(tmp_path / "bot.txt")))


def test_class_name_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BotSpecError, match="class"):
        parse_spec(f"{_write(tmp_path / 'a.py')}:not a name")


def test_unknown_parameter_of_a_house_bot() -> None:
    with pytest.raises(BotSpecError, match="depth"):
        parse_spec("greedy:depth=3")


def test_reading_a_spec_runs_nothing(tmp_path: Path) -> None:
    assert parse_spec(str(_write(tmp_path / "boom.py", "raise SystemExit"))).name == "boom"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1\n", "no class derived from damrak.Bot"),
        ("from damrak import Bot\n", "no class derived from damrak.Bot"),
        (TWO, r"several bots \(Other, Third\)"),
    ],
)
def test_file_without_the_one_bot(tmp_path: Path, text: str, problem: str) -> None:
    spec = parse_spec(str(_write(tmp_path / "odd.py", text)))
    with pytest.raises(BotFileError, match=problem):
        make_bot(spec)


def test_class_that_the_file_does_not_have(tmp_path: Path) -> None:
    spec = parse_spec(f"{_write(tmp_path / 'odd.py')}:Yours")
    with pytest.raises(BotFileError, match="Yours"):
        make_bot(spec)


def test_every_error_is_a_bot_error() -> None:
    assert all(issubclass(e, BotError) for e in (BotNotFound, BotSpecError, BotFileError))


def test_version_follows_the_content_of_a_folder(tmp_path: Path) -> None:
    _write(tmp_path / "bot.py")
    before = content_hash(tmp_path)
    _write(tmp_path / "data" / "weights.txt", "1 2 3")
    with_data = content_hash(tmp_path)
    _write(tmp_path / "data" / "weights.txt", "1 2 4")
    assert len({before, with_data, content_hash(tmp_path)}) == 3


def test_version_does_not_follow_what_was_played(tmp_path: Path) -> None:
    _write(tmp_path / "bot.py")
    before = content_hash(tmp_path)
    _write(tmp_path / "games" / "1.json", '{"format":"damrak-replay/1"}')
    _write(tmp_path / "faults" / "1.json", '{"format": "damrak-repro/1"}')
    _write(tmp_path / "__pycache__" / "bot.pyc", "")
    _write(tmp_path / ".git" / "HEAD", "")
    assert content_hash(tmp_path) == before


def test_version_of_a_file_is_that_of_the_file_alone(tmp_path: Path) -> None:
    file = _write(tmp_path / "a.py")
    before = parse_spec(str(file)).version
    _write(tmp_path / "b.py", TWO)
    assert parse_spec(str(file)).version == before


def test_parent_folders_of_links_are_not_followed(tmp_path: Path) -> None:
    _write(tmp_path / "bot.py")
    before = content_hash(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert content_hash(tmp_path) == before
