"""Stack dumps that `faulthandler` writes when a process receives a signal.

The signal handler is native code: it needs neither the interpreter's lock nor a bytecode
instruction to run, so it also works while a bot hangs in an extension module. The host sends the
signal only after a deadline has passed, so a bot that answers in time pays nothing.

A bot can print text that looks like a dump. The parsed dump is therefore used only as text for the
bot's author: its length is limited, and files are read only below the bot's folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DUMP_LIMIT: Final = 512 * 1024  # bytes that are searched; 100 threads need about 300 KiB
STACK_LIMIT: Final = 8_000  # characters of the text
THREADS: Final = 8
OUTER_FRAMES, INNER_FRAMES = 12, 20  # of each thread; frames between them are omitted
_SOURCE_LIMIT: Final = 1 << 20
_HEAD: Final = re.compile(rb"^(Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):$")
_GLUED: Final = re.compile(rb"(?<=[^\n])(?:Current thread|(?<!Current )Thread) 0x(?=[0-9a-f]+ )")
_FRAME: Final = re.compile(rb'^  File "(.*)", line (\d+|\?\?\?) in (.*)$')
_REST: Final = re.compile(rb"^  (\.\.\.|<.*>|Garbage-collecting)$")
_GRPC: Final = re.compile(r"[/\\]grpc[/\\]_\w+\.(py|pyx)$")
_CALLERS: Final = re.compile(
    r"^<frozen (importlib|runpy)|[/\\](threading|concurrent[/\\]futures[/\\]thread)\.py$"
)

IsOurs = Callable[[str], bool]
SourceOf = Callable[[str, int], str]


@dataclass(frozen=True, slots=True)
class Frame:
    """A call on a stack; `line` is 0 if it is not known."""

    file: str
    line: int
    function: str


@dataclass(slots=True)
class Thread:
    """The stack of a thread, outermost call first."""

    is_current: bool
    frames: list[Frame]


def no_source(file: str, line: int) -> str:
    """Return an empty source line for any frame."""
    return ""


class SourceFolder:
    """Source lines of the files in a folder, whose path is `shown` inside the bot's process."""

    def __init__(self, folder: Path, shown: str | None = None) -> None:
        self._folder = folder.resolve()
        self._shown = str(folder) if shown is None else shown

    def __call__(self, file: str, line: int) -> str:
        """Return the line without indentation; empty if it is not in the folder."""
        inside = file.removeprefix(self._shown).lstrip("/\\")
        if inside == file or not line:
            return ""
        try:
            path = (self._folder / inside).resolve()
            if not path.is_relative_to(self._folder) or not path.is_file():
                return ""
            if path.stat().st_size > _SOURCE_LIMIT:
                return ""
            return path.read_text("utf-8", "replace").split("\n")[line - 1].strip()
        except (OSError, ValueError, IndexError):
            return ""


def split_dump(data: bytes) -> tuple[list[Thread], bytes]:
    """Return the threads of the dump in this output, and the output without it."""
    threads: list[Thread] = []
    rest: list[bytes] = []
    is_inside = False
    # The last output of the bot may end without a line break.
    for line in _GLUED.sub(rb"\n\g<0>", data[-DUMP_LIMIT:]).split(b"\n"):
        if head := _HEAD.match(line):
            threads.append(Thread(head[1] == b"Current thread", []))
            is_inside = True
        elif is_inside and (frame := _FRAME.match(line)):
            number = int(frame[2]) if frame[2].isdigit() else 0
            threads[-1].frames.insert(0, Frame(_text(frame[1]), number, _text(frame[3])))
        elif is_inside and (not line or _REST.match(line)):
            continue
        else:
            is_inside = False
            rest.append(line)
    return threads, b"\n".join(rest)


def stack_text(threads: Iterable[Thread], is_ours: IsOurs, source: SourceOf = no_source) -> str:
    """Return the stack of a bot, with its own frames only and the playing thread first.

    `is_ours` identifies the files of the SDK, whose frames call the bot and are omitted.
    """
    playing, others = [], []
    for thread in reversed(list(threads)):  # the newest thread is dumped first
        is_playing = any(is_ours(frame.file) for frame in thread.frames)
        own = _own_frames(thread.frames, is_ours)
        if is_playing or thread.is_current:
            playing.append(own or thread.frames)
        elif own:
            others.append(own)
    parts = []
    for number, frames in enumerate((*playing, *others)[:THREADS]):
        title = "Another thread" if number else "Stack"
        lines = "\n".join(_lines(frames, source))
        parts.append(f"{title} (most recent call last):\n{lines}\n")
    if len(playing) + len(others) > THREADS:
        parts.append(f"[{len(playing) + len(others) - THREADS} more threads]\n")
    return "\n".join(parts)[:STACK_LIMIT]


def _own_frames(frames: Sequence[Frame], is_ours: IsOurs) -> list[Frame]:
    """Return the frames below those of the SDK and of the code that starts modules and threads.

    The list is empty for threads that gRPC runs or that wait for work.
    """
    start = max((i + 1 for i, it in enumerate(frames) if is_ours(it.file)), default=0)
    while start < len(frames) and _CALLERS.search(frames[start].file):
        start += 1
    return [] if any(_GRPC.search(it.file) for it in frames) else list(frames[start:])


def _lines(frames: Sequence[Frame], source: SourceOf) -> Iterable[str]:
    hidden = len(frames) - OUTER_FRAMES - INNER_FRAMES
    for number, frame in enumerate(frames):
        if hidden > 0 and OUTER_FRAMES <= number < OUTER_FRAMES + hidden:
            if number == OUTER_FRAMES:
                yield f"  [{hidden} frames are not shown]"
            continue
        yield f'  File "{frame.file}", line {frame.line or "?"}, in {frame.function}'
        if text := source(frame.file, frame.line):
            yield f"    {_printable(text[:200])}"


def _text(data: bytes) -> str:
    """Return text on one line without control characters, since the bot may have written it."""
    return _printable(data.decode("utf-8", "replace"))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


class Diversion:
    """Output of a process from the moment at which its stack was requested."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> bytes:
        """Keep this output and return the part that does not fit."""
        room = DUMP_LIMIT - len(self._data)
        self._data += data[:room]
        return data[room:]

    def end(self, is_ours: IsOurs, source: SourceOf = no_source) -> tuple[str, bytes]:
        """Return the stack, empty if there is none, and the output that is not part of it."""
        threads, rest = split_dump(bytes(self._data))
        return stack_text(threads, is_ours, source), rest
