"""A wheel of one small module, for tests that install a runtime with pip and without a network."""

from __future__ import annotations

import zipfile
from pathlib import Path

NAME = "quayside"
VERSION = "1.4.2"
CODE = """
import threading

DEPTH = 1658
"""


def make_wheel(folder: Path, code: str = CODE) -> Path:
    """Write the wheel of a module with this code to a folder, and return its path."""
    about = f"{NAME}-{VERSION}.dist-info"
    path = folder / f"{NAME}-{VERSION}-py3-none-any.whl"
    files = {
        f"{NAME}.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
    return path
