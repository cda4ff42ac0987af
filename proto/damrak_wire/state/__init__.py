"""What a seat sees: observations as messages and back.

said    made of an observation alone, which holds nothing that its seat may not know
heard   read back, every number within what board and seats allow
"""

from damrak_wire.state.heard import decode_state
from damrak_wire.state.said import encode_state, state_bytes

__all__ = ["decode_state", "encode_state", "state_bytes"]
