"""Observations as messages.

said    encoding, from an observation only, which contains nothing hidden from its seat
heard   decoding, with every number checked against the limits of board and seats
"""

from damrak_wire.state.decoder import decode_state
from damrak_wire.state.encoder import encode_state, state_bytes

__all__ = ["decode_state", "encode_state", "state_bytes"]
