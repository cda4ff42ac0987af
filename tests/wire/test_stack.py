"""Stacks are parsed from the output of a process, which may contain anything."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from damrak_wire.stack import (
    DUMP_LIMIT,
    STACK_LIMIT,
    THREADS,
    Diversion,
    SourceFolder,
    no_source,
    split_dump,
    stack_text,
)

DUMP = b"""\
Thread 0x00007f0001 (most recent call first):
  File "/site/grpc/_channel.py", line 1262 in channel_spin
  File "/lib/python3.11/threading.py", line 982 in run

Thread 0x00007f0002 (most recent call first):
  File "/bot/worker.py", line 2 in work
  File "/lib/python3.11/threading.py", line 982 in run

Current thread 0x00007f0003 (most recent call first):
  File "/bot/bot.py", line 3 in think
  File "/bot/bot.py", line 2 in choose
  File "/site/damrak/hosting/driver.py", line 70 in choose
  File "/site/damrak/remote/seat.py", line 90 in main
  File "<frozen runpy>", line 88 in _run_code
"""
STACK = """\
Stack (most recent call last):
  File "/bot/bot.py", line 2, in choose
  File "/bot/bot.py", line 3, in think

Another thread (most recent call last):
  File "/bot/worker.py", line 2, in work
"""


def is_ours(file: str) -> bool:
    return "/site/damrak/" in file


def stack_of(data: bytes) -> str:
    return stack_text(split_dump(data)[0], is_ours)


def test_the_bots_frames_come_first_and_those_of_the_sdk_are_left_out() -> None:
    assert stack_of(DUMP) == STACK


def test_dump_is_found_between_other_output() -> None:
    diversion = Diversion()
    assert diversion.add(b"no line break" + DUMP + b"more\n") == b""
    stack, rest = diversion.end(is_ours)
    assert stack == STACK
    assert rest == b"no line break\nmore\n"


def test_output_without_a_dump_has_no_stack() -> None:
    assert stack_of(b'  File "/bot/bot.py", line 3 in think\nhello\n') == ""


def test_process_that_was_not_in_the_bot_shows_all_of_its_stack() -> None:
    waiting = b"".join(line for line in DUMP.splitlines(True) if b"bot.py" not in line)
    assert 'driver.py", line 70, in choose' in stack_of(waiting)


def test_long_stacks_lose_their_middle_and_many_threads_their_rest() -> None:
    frames = b"".join(b'  File "/bot/bot.py", line %d in f\n' % n for n in range(100))
    heads = [b"Thread 0x%d (most recent call first):\n" % n for n in range(1, 30)]
    dump = b"\n".join(head + frames for head in heads)
    stack = stack_of(dump + b"\nCurrent thread 0x99 (most recent call first):\n" + frames)
    assert "[68 frames are not shown]" in stack
    assert stack.count("most recent call") <= THREADS
    assert len(stack) <= STACK_LIMIT


def test_source_lines_are_read_in_the_bots_folder_only(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").write_text("first\n  second\x1b[2J\n")
    (tmp_path / "secret").write_text("secret\n")
    (bot / "link").symlink_to(tmp_path / "secret")
    source = SourceFolder(bot, "/bot")
    assert source("/bot/bot.py", 2).startswith("second")
    threads, _ = split_dump(DUMP)
    assert "\x1b" not in stack_text(threads, is_ours, source)
    for file in ("/bot/../secret", "/bot/link", "/etc/passwd", "bot.py", "/bot", "/bot/\0"):
        assert source(file, 1) == ""
    assert source("/bot/bot.py", 99) == ""


def test_stored_dump_is_limited() -> None:
    diversion = Diversion()
    assert diversion.add(b"x" * DUMP_LIMIT + b"yz") == b"yz"
    assert diversion.add(b"more") == b"more"


@given(
    st.lists(
        st.sampled_from([*DUMP.splitlines(True), b"\n", b"  ...\n", b"  <no Python frame>\n"])
        | st.binary(max_size=40)
    )
)
def test_any_input_is_parsed_and_becomes_terminal_text(parts: list[bytes]) -> None:
    threads, rest = split_dump(b"".join(parts))
    stack = stack_text(threads, is_ours, no_source)
    assert len(stack) <= STACK_LIMIT
    assert all(line.isprintable() for line in stack.split("\n"))
    assert len(rest) <= 2 * sum(map(len, parts)) + 1
