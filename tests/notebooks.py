"""Run the notebooks of docs/notebooks/ with a Jupyter kernel, and write their outputs.

A notebook is a Markdown file, which the site shows. Its Python blocks become the cells of a file
for Jupyter (`*.ipynb`), which a kernel executes on a small dump; the printed outputs are inserted
behind the blocks.
`--check` compares the cells of both files without running them.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from sample_dump import sample

ROOT: Final = Path(__file__).resolve().parents[1]
NOTEBOOKS: Final = ROOT / "docs" / "notebooks"
CODE: Final = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
START_SECONDS: Final = 600
"""How long a kernel may take to start on a busy machine."""


def main(arguments: list[str]) -> int:
    """Run the command."""
    wrong = []
    for path in sorted(NOTEBOOKS.glob("*.md")):
        jupyter = path.with_suffix(".ipynb")
        if "--check" not in arguments:
            text, notebook = executed(path.read_text("utf-8"))
            path.write_text(text, "utf-8")
            jupyter.write_text(notebook, "utf-8")
        elif not jupyter.exists() or cells_of(jupyter.read_text("utf-8")) != cells_of(
            as_jupyter(path.read_text("utf-8"))
        ):
            wrong.append(jupyter.name)
    if wrong:
        print(f"differ from their Markdown: {', '.join(wrong)} (run .ci/regen-notebooks)")
    return bool(wrong)


def executed(text: str) -> tuple[str, str]:
    """Return a notebook with the outputs of a kernel, as Markdown and as a file for Jupyter.

    Raises:
        CellExecutionError: a cell failed.
    """
    notebook = nbformat.reads(as_jupyter(text), as_version=4)
    with tempfile.TemporaryDirectory(prefix="damrak-kernel-") as folder:
        Path(folder, "dump").symlink_to(sample()[0])
        # Sockets in this folder, because another process could take a TCP port meanwhile.
        kernel = {"transport": "ipc", "connection_file": str(Path(folder, "kernel.json"))}
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # or the kernel warns about itself
        NotebookClient(
            notebook,
            kernel_name="python3",
            config=Config({"KernelManager": kernel}),
            timeout=None,
            startup_timeout=START_SECONDS,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        ).execute()
    printed = [_printed(cell) for cell in notebook.cells if cell.cell_type == "code"]
    outputs = iter(printed)
    shown = CODE.sub(lambda block: _with_output(block[1], next(outputs)), text)
    notebook.metadata = nbformat.reads(
        as_jupyter(text), as_version=4
    ).metadata  # not of this Python
    return shown, nbformat.writes(notebook) + "\n"


def cells_of(notebook: str) -> list[tuple[str, str, str]]:
    """Return kind, source and printed output of each cell of a file for Jupyter."""
    found = nbformat.reads(notebook, as_version=4)
    return [
        (cell.cell_type, cell.source, _printed(cell) if cell.cell_type == "code" else "")
        for cell in found.cells
    ]


def as_jupyter(text: str) -> str:
    """Return a notebook with the recorded outputs in the format of Jupyter."""
    cells: list[Any] = []
    end = 0
    for block in CODE.finditer(text):
        cells += _markdown(text[end : block.start()], len(cells))
        outputs = [new_output("stream", name="stdout", text=block[2])] if block[2] else []
        source = block[1].rstrip("\n")
        cells.append(new_code_cell(source, outputs=outputs, id=f"cell-{len(cells)}"))
        end = block.end()
    cells += _markdown(text[end:], len(cells))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return str(nbformat.writes(new_notebook(cells=cells, metadata=metadata))) + "\n"


def _markdown(text: str, number: int) -> list[Any]:
    source = text.strip("\n")
    return [new_markdown_cell(source, id=f"cell-{number}")] if source else []


def _with_output(code: str, printed: str) -> str:
    block = f"```python\n{code}```\n"
    return f"{block}\n```text\n{printed}```\n" if printed else block


def _printed(cell: Any) -> str:
    """Return what a cell printed, with the text of its last expression."""
    parts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            parts.append(output.text)
        elif output.output_type in ("execute_result", "display_data"):
            parts.append(output.data.get("text/plain", "") + "\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
