"""Errors of archives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

REFUSALS: Final[Mapping[str, str]] = {
    "archive-too-large": "The archive is larger than {mebibytes} MiB.",
    "archive-holds-too-much": "The files in the archive take more than {mebibytes} MiB.",
    "archive-ratio": (
        "The files in the archive take more than {times} times the size of the archive."
    ),
    "archive-files": "There are more than {limit} files in the archive.",
    "archive-damaged": "The archive is damaged or incomplete: {problem}",
    "archive-invalid": "The archive cannot be read: {problem}",
    "archive-too-demanding": "The archive takes too much time or memory to be read.",
    "archive-encrypted": "The archive is encrypted.",
    "archive-compression": "Files in a zip archive must be stored or deflated.",
    "archive-link": "Links are not allowed: {name}",
    "archive-special-file": "Only files and folders are allowed: {name}",
    "archive-mode-bits": "Setuid, setgid and sticky bits are not allowed: {name}",
    "archive-name-encoding": "A name is not plain UTF-8 text: {name}",
    "archive-name-absolute": "A name is not a relative path with / as separator: {name}",
    "archive-name-outside": "A name leads out of the archive: {name}",
    "archive-name-length": "A name is too long or has too many folders: {name}",
    "archive-file-and-folder": "{name} is both a file and a folder.",
    "archive-name-twice": "{name} is in the archive twice.",
    "archive-file-length": "{name} does not have the length that the archive declares.",
    "archive-without-bot": "There is neither {entry} nor {description} at the top of the archive.",
    "archive-without-run": "There is no {entry}, and {description} has no run.",
    "description-key": (
        "{description} has the unknown key {key}. The known keys are run, class and runtime."
    ),
    "description-both-keys": "{description} has both run and class. Keep one of them.",
    "description-class": "In {description}, class must be the name of a class.",
    "description-runtime": (
        "In {description}, runtime must be a name of lower-case letters, digits and hyphens."
    ),
    "runtime-missing": (
        "The runtime {runtime} is not installed here. Installed are: {available}. Change "
        "runtime in {description}, or ask the operator to install it."
    ),
    "runtimes-missing": (
        "The runtime {runtime} is not installed here, and there are no other optional runtimes. "
        "Remove runtime from {description}, or ask the operator to install it."
    ),
    "description-length": "{description} is too long.",
    "description-invalid": "{description} is not valid: {problem}",
    "description-run": (
        'In {description}, run must be a list of words, such as ["./prog", "arg"].'
    ),
    "description-run-length": "In {description}, run is too long.",
    "description-run-characters": "In {description}, run has characters that cannot be printed.",
    "description-run-empty": "In {description}, run names no program.",
    "description-program": ("In {description}, run names {program}, which is not in the archive."),
    "archive-name": "The name of an archive is its SHA-256 in hexadecimal digits.",
    "reported": "{problem}",
}
"""The codes of refusals, with their texts in English. Sites word them in other languages."""


class ArchiveRefused(Exception):
    """An archive that breaks a rule: a code of `REFUSALS` with its parameters."""

    def __init__(self, code: str, **parameters: str | int) -> None:
        super().__init__(code, parameters)
        self.code = code
        self.parameters = parameters

    def __str__(self) -> str:
        return self.why

    @property
    def why(self) -> str:
        """Return one sentence for the author, in English."""
        return REFUSALS[self.code].format(**self.parameters)
