"""Bot specs: how bots are named on the command line, and how they are loaded.

    random            a house bot
    mcts:ms=100       a house bot with parameters
    mybot.py          the bot class in that file
    mybot.py:Careful  one of several
    mybots/careful    a folder, the class in its `bot.py`

Parsing a spec never runs the bot's code, so a host can do it safely; `make_bot` runs it. House bots
are imported only when one is named, because a bot in its sandbox does not need them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from damrak.bot import Bot
from damrak.errors import BotFileError, BotNotFound, BotSpecError
from damrak_engine.effects import printable

ENTRY: Final = "bot.py"
VERSION_DIGITS: Final = 12
LONGEST_NAME: Final = 255  # the usual limit for file names
_WRITTEN_BY_US: Final = (b'"damrak-replay/', b'"damrak-repro/')


@dataclass(frozen=True, slots=True)
class BotSpec:
    """An existing bot; equal specs are the same bot in the same version."""

    text: str
    name: str
    version: str
    path: Path | None = None
    class_name: str | None = None
    is_folder: bool = False  # the version covers the whole folder, not only its bot.py

    @property
    def is_house(self) -> bool:
        """Whether the bot is part of this package, and trusted to run in the host's own process."""
        return self.path is None

    @property
    def folder(self) -> Path | None:
        """The folder with the modules and data of the bot."""
        return None if self.path is None else self.path.parent

    def is_version(self, other: BotSpec) -> bool:
        """Return whether another bot's files now equal those this bot was parsed from."""
        if other.path is None:
            return self.is_house and self.version == other.version
        return self.version == content_hash(other.path.parent if self.is_folder else other.path)


def parse_spec(text: str) -> BotSpec:
    """Return the bot named by a spec. House bots take precedence: write `./random` for a folder.

    Raises:
        BotNotFound: there is no such house bot and no such file.
        BotSpecError: the house bot has no such parameter, or the class name is invalid.
    """
    from damrak.bots import HOUSE_BOTS, house_bot

    name = text.partition(":")[0]
    if name in HOUSE_BOTS:
        try:
            house_bot(text)
        except ValueError as problem:
            raise BotSpecError(text, str(problem)) from None
        return BotSpec(text, text, _house_version())
    path, class_name = _path_and_class(text)
    folder = path.is_dir()
    file = path / ENTRY if folder else path
    if folder and not file.is_file():
        raise BotNotFound(text, f"the folder has no {ENTRY}")
    if not file.is_file():
        raise BotNotFound(text, _not_found(text))
    if file.suffix != ".py":
        raise BotSpecError(text, "a bot is a .py file, or a folder with a bot.py")
    file = file.resolve()
    label = printable(file.parent.name if file.name == ENTRY else file.stem, LONGEST_NAME)
    return BotSpec(
        text=text,
        name=f"{label}:{class_name}" if class_name else label,
        version=content_hash(file.parent if folder else file),
        path=file,
        class_name=class_name,
        is_folder=folder,
    )


def make_bot(spec: BotSpec) -> Bot:
    """Return a new instance of a bot, created in this process.

    Raises:
        BotFileError: the file has no usable class.
        Exception: any exception of the bot's own code.
    """
    if spec.path is None:
        from damrak.bots import house_bot

        return house_bot(spec.text)
    return bot_class(spec)()


def bot_class(spec: BotSpec) -> type[Bot]:
    """Run the file of a bot that is not a house bot, and return its class.

    The bot's folder stays first on `sys.path`, so that its modules can be imported at any time.

    Raises:
        BotFileError: the file has no usable class.
        Exception: any exception raised by the file.
    """
    assert spec.path is not None
    folder = str(spec.path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = _run_file(spec.path)
    if spec.class_name is not None:
        wanted = getattr(module, spec.class_name, None)
        if isinstance(wanted, type) and issubclass(wanted, Bot):
            return wanted
        raise BotFileError(spec.text, f"{spec.path.name} has no Bot class {spec.class_name!r}")
    found = _candidates(module)
    if len(found) == 1:
        return found[0]
    if not found:
        raise BotFileError(spec.text, f"{spec.path.name} has no class derived from damrak.Bot")
    names = ", ".join(bot.__name__ for bot in found)
    raise BotFileError(spec.text, f"several bots ({names}): add ':' and the class to the path")


def content_hash(path: Path) -> str:
    """Return the version of a bot: a hash of the file, or of names and contents in the folder.

    Excluded are hidden files, bytecode, and records of games with the bot: replays and bundles.
    """
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()[:VERSION_DIGITS]
    total = hashlib.sha256()
    for file in sorted(_content(path)):
        data = file.read_bytes()
        if file.suffix == ".json" and any(mark in data for mark in _WRITTEN_BY_US):
            continue
        total.update(file.relative_to(path).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(data).digest())
    return total.hexdigest()[:VERSION_DIGITS]


def _content(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            if not entry.is_symlink():  # a link could lead back up
                yield from _content(entry)
        elif entry.is_file():
            yield entry


@cache
def _house_version() -> str:
    import damrak.bots

    return content_hash(Path(damrak.bots.__file__).parent)


def _path_and_class(text: str) -> tuple[Path, str | None]:
    head, colon, tail = text.rpartition(":")
    # A drive letter has a colon, too: only the text after a file or folder is a class.
    if not colon or Path(text).exists() or not (head.endswith(".py") or Path(head).is_dir()):
        return _expanded(text), None
    if not tail.isidentifier():
        raise BotSpecError(text, f"{tail!r} cannot be the name of a class")
    return _expanded(head), tail


def _expanded(text: str) -> Path:
    path = Path(text)
    try:
        return path.expanduser()
    except RuntimeError:  # an unknown user, as in `~nobody`
        return path


def _not_found(text: str) -> str:
    import difflib

    from damrak.bots import HOUSE_BOTS

    near = difflib.get_close_matches(text.partition(":")[0], HOUSE_BOTS, n=1)
    if near:
        return f"no such bot; did you mean {near[0]}?"
    return f"no such file, and no house bot either ({', '.join(HOUSE_BOTS)})"


def _run_file(path: Path) -> ModuleType:
    name = f"damrak_bot_{path.stem}"  # a bot.py or random.py must not replace another module
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses and pickle look up their module here
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _candidates(module: ModuleType) -> list[type[Bot]]:
    """Return the bots a file offers: those it defines, or else those imported from its folder."""
    bots = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and not name.startswith("_")
    ]
    own = [bot for bot in bots if bot.__module__ == module.__name__]
    offered = own or [bot for bot in bots if bot.__module__.partition(".")[0] != "damrak"]
    unique = list(dict.fromkeys(offered))
    return [bot for bot in unique if not any(bot in other.__mro__[1:] for other in unique)]
