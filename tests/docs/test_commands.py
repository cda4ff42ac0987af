"""The commands of the documents for bot authors work on a platform, block by block, in order."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest

from docs.reader import Reader
from docs.shell_blocks import DOCUMENTS, ROOT, SHELL, UNTIL_STOPPED, Block, blocks_of
from ladder.embedded.platforms import NEEDS_LINUX, Platform, new_home
from ladder.receivers import receiving
from ports import free_port

BLOCKS = [
    block
    for document in DOCUMENTS
    for block in blocks_of(document)
    if block.language in SHELL or block.file
]
COMMAND = re.compile(r"\$ |(damrak(-ladder|-referee)?|pip|curl|npm|python|make) |DAMRAK_\w+=")
INTERRUPTED = (0, 128 + signal.SIGINT, -signal.SIGINT)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_are_in_blocks_that_name_their_language(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    fenced = [block.text for block in blocks_of(document)]
    for indented in re.findall(r"\n\n {4,}(\S.*)", text):
        assert not COMMAND.match(indented) or any(indented in block for block in fenced), indented
    for block in blocks_of(document):
        assert block.language, f"{block.name}: name the language, such as sh, console or text"
        if block.language not in SHELL:
            assert not block.text.startswith("$ "), block.name
            continue
        assert block.commands, block.name
        assert block.how in {"", UNTIL_STOPPED} or (block.reason or "").strip(), block.name


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    more = {
        "DAMRAK_LADDER_LOCAL_WEBHOOKS": "yes",
        "DAMRAK_LADDER_SUBMISSIONS_PER_HOUR": "100",
        "DAMRAK_LADDER_TESTS_PER_OWNER": "10",
    }
    with (
        receiving() as receiver,
        new_home() as home,
        Platform(home, free_port(), "--workers", "2", **more) as platform,
    ):
        platform.wait_until_up()
        made = Reader(platform, tmp_path_factory.mktemp("author"), receiver)
        made.prepare()
        yield made


@pytest.mark.soak
@NEEDS_LINUX
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_the_commands_of_the_documents_work(block: Block, request: pytest.FixtureRequest) -> None:
    if block.reason:
        pytest.skip(block.reason)
    reader: Reader = request.getfixturevalue("reader")
    folder = reader.folder_of(block.document)
    if block.file:
        (folder / block.file).write_text(block.text, "utf-8")
        return
    for command in block.commands:
        if block.how == UNTIL_STOPPED:
            assert reader.run_until_stopped(command, folder) in INTERRUPTED, reader.printed
        else:
            assert reader.run(command, folder) == 0, reader.printed
