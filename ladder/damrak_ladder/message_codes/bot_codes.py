"""Messages about bots, submissions and archives."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Label, Message


class BotLimit(Message, code="bot-limit"):
    """The owner has the maximum number of bots."""

    limit: int


class SubmissionLimit(Message, code="submission-limit"):
    """The owner has made the maximum number of submissions within an hour."""

    limit: int


class StorageLimit(Message, code="storage-limit"):
    """The archives of the owner would take more space than is allowed."""

    megabytes: int


class BotNameInUse(Message, code="bot-name-in-use"):
    """Another bot has this name."""

    name: str


class SameContentAs(Message, code="same-content"):
    """An earlier version has the same content."""

    version: Key


class VersionState(Message, code="version-state"):
    """The version has another state than is needed to be live."""

    state: Label


class StateChanged(Message, code="state-changed"):
    """Another process has changed the state of a version, which is not this one."""

    state: Label


class LiveVersionChanged(Message, code="live-version-changed"):
    """Another process has changed which version is live."""


class FrozenFields(Message, code="frozen-fields"):
    """These fields of a version never change."""

    fields: tuple[str, ...]


class SavedOnce(Message, code="saved-once"):
    """A version is saved once only."""


class ArchiveMissing(Message, code="archive-missing"):
    """A stored archive is missing."""

    archive: str


class ArchiveChanged(Message, code="archive-changed"):
    """A stored archive does not have the content that was stored."""

    archive: str


class ArchiveUnreadable(Message, code="archive-unreadable"):
    """A stored archive cannot be read."""

    archive: str
    problem: str


class ArchiveTooLarge(Message, code="archive-too-large"):
    """The archive is larger than permitted."""

    mebibytes: int


class ArchiveHoldsTooMuch(Message, code="archive-holds-too-much"):
    """The unpacked files are larger than permitted."""

    mebibytes: int


class ArchiveRatio(Message, code="archive-ratio"):
    """The unpacked files are much larger than the archive."""

    times: int


class ArchiveFiles(Message, code="archive-files"):
    """There are more files than permitted."""

    limit: int


class ArchiveDamagedOrCut(Message, code="archive-damaged"):
    """The archive is damaged or incomplete."""

    problem: str


class ArchiveInvalid(Message, code="archive-invalid"):
    """The archive cannot be read."""

    problem: str


class ArchiveTakesTooLong(Message, code="archive-too-demanding"):
    """Reading the archive takes too much time or memory."""


class ArchiveEncrypted(Message, code="archive-encrypted"):
    """The archive is encrypted."""


class ArchiveCompression(Message, code="archive-compression"):
    """The archive uses another compression than permitted."""


class ArchiveLink(Message, code="archive-link"):
    """The archive contains a link."""

    name: str


class ArchiveSpecialFile(Message, code="archive-special-file"):
    """The archive contains something that is neither a file nor a folder."""

    name: str


class ArchiveModeBits(Message, code="archive-mode-bits"):
    """A file in the archive has setuid, setgid or sticky bits."""

    name: str


class ArchiveNameEncoding(Message, code="archive-name-encoding"):
    """A name is not plain UTF-8 text."""

    name: str


class ArchiveNameAbsolute(Message, code="archive-name-absolute"):
    """A name is not a relative path."""

    name: str


class ArchiveNameOutside(Message, code="archive-name-outside"):
    """A name leads out of the archive."""

    name: str


class ArchiveNameLength(Message, code="archive-name-length"):
    """A name is too long, or has too many folders."""

    name: str


class ArchiveFileAndFolder(Message, code="archive-file-and-folder"):
    """A name is used for a file and for a folder."""

    name: str


class ArchiveNameTwice(Message, code="archive-name-twice"):
    """Two files have the same name."""

    name: str


class ArchiveFileLength(Message, code="archive-file-length"):
    """A file has another length than the archive declares."""

    name: str


class ArchiveWithoutBot(Message, code="archive-without-bot"):
    """The archive has no bot at its top."""

    entry: str
    description: str


class ArchiveWithoutRun(Message, code="archive-without-run"):
    """The archive has a description that does not define what to run."""

    entry: str
    description: str


class DescriptionKey(Message, code="description-key"):
    """The description has an unknown key."""

    description: str
    key: str


class DescriptionBothKeys(Message, code="description-both-keys"):
    """The description has both `run` and `class`."""

    description: str


class DescriptionClass(Message, code="description-class"):
    """The class in the description is not a class name."""

    description: str


class DescriptionRuntime(Message, code="description-runtime"):
    """The runtime in the description is not a valid name."""

    description: str


class RuntimeMissing(Message, code="runtime-missing"):
    """The hosts do not have the runtime that the description names."""

    runtime: str
    available: str
    description: str


class RuntimesMissing(Message, code="runtimes-missing"):
    """The description names a runtime, and the hosts have no optional runtimes."""

    runtime: str
    description: str


class DescriptionLength(Message, code="description-length"):
    """The description is too long."""

    description: str


class DescriptionInvalid(Message, code="description-invalid"):
    """The description is not valid TOML."""

    description: str
    problem: str


class DescriptionRun(Message, code="description-run"):
    """The command in the description is not a list of words."""

    description: str


class DescriptionRunLength(Message, code="description-run-length"):
    """The command in the description is too long."""

    description: str


class DescriptionRunCharacters(Message, code="description-run-characters"):
    """The command in the description has characters that cannot be printed."""

    description: str


class DescriptionRunEmpty(Message, code="description-run-empty"):
    """The command in the description names no program."""

    description: str


class DescriptionProgram(Message, code="description-program"):
    """The program in the description is not in the archive."""

    description: str
    program: str
