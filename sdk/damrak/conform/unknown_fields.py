"""Messages with content that only later versions of the protocol could have."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message

from damrak_proto.v1 import lobby_pb2, table_pb2
from damrak_wire.protobuf import chunk, varint

UNKNOWN_FIELD: Final = 1_900
UNKNOWN_KIND: Final = 90
EMPTY: Final = b""
"""An empty message."""
_PIECES: Final = (
    varint(UNKNOWN_FIELD << 3) + varint(7),
    chunk(UNKNOWN_FIELD + 1, b"from a later version"),
    varint(UNKNOWN_FIELD + 2 << 3 | 1) + bytes(8),
)


def unknown_kind() -> bytes:
    """Return a PlayResponse or WaitResponse of a kind that does not exist yet."""
    return chunk(UNKNOWN_KIND, chunk(1, b"from a later version"))


def with_unknown_fields(data: bytes, *, lobby: bool = False) -> bytes:
    """Return the same PlayResponse or WaitResponse with unknown fields at every depth."""
    message: Message
    message = lobby_pb2.WaitResponse() if lobby else table_pb2.PlayResponse()
    message.ParseFromString(data)
    _enrich(message)
    return message.SerializeToString()


def _enrich(message: Message) -> None:
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is None or kind.GetOptions().map_entry:
            continue
        for inner in value if field.is_repeated else (value,):
            _enrich(inner)
    # The runtime keeps unknown fields, and serializes them again.
    message.MergeFromString(b"".join(_PIECES))
