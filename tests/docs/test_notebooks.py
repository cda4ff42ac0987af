"""A Jupyter kernel executes the notebooks; both of their files have the same cells and outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbclient.exceptions import CellExecutionError

from notebooks import CODE, NOTEBOOKS, as_jupyter, cells_of, executed

MARKDOWN = sorted(NOTEBOOKS.glob("*.md"))


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in MARKDOWN] == ["imitate", "scout", "who-wins"]


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.stem)
def test_the_file_for_jupyter_is_up_to_date(path: Path) -> None:
    """If this fails: `.ci/regen-notebooks`."""
    cells = cells_of(path.with_suffix(".ipynb").read_text("utf-8"))
    assert cells == cells_of(as_jupyter(path.read_text("utf-8")))
    assert sum(bool(printed) for _, _, printed in cells) >= 2


@pytest.mark.process
@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.stem)
def test_a_kernel_executes_the_notebook(path: Path) -> None:
    text = path.read_text("utf-8")
    shown, notebook = executed(text)
    cells = cells_of(notebook)
    assert cells == cells_of(as_jupyter(shown))
    # Last digits may depend on the processor, but not how much each cell prints.
    lines = [len(printed.splitlines()) for _, _, printed in cells]
    assert lines == [len(printed.splitlines()) for _, _, printed in cells_of(as_jupyter(text))]


@pytest.mark.process
def test_running_a_notebook_writes_its_outputs_once() -> None:
    source = "# A title\n\n```python\nprint(6 * 7)\n```\n\nThe end.\n"
    once, notebook = executed(source)
    assert "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n\nThe end." in once
    assert executed(once) == (once, notebook)
    assert [block[1] for block in CODE.finditer(once)] == ["print(6 * 7)\n"]


@pytest.mark.process
def test_a_cell_that_fails_is_an_error() -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed("```python\n1 / 0\n```\n")
