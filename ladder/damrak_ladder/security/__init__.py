"""The security log: who signed in, what changed about accounts, and which access was refused."""

from damrak_ladder.security.kinds import SecurityEvent
from damrak_ladder.security.recording import record

__all__ = ["SecurityEvent", "record"]
