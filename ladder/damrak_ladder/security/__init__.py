"""The security log: sign-ins, changes to accounts, and refused access."""

from damrak_ladder.security.kinds import SecurityEvent
from damrak_ladder.security.recorder import record

__all__ = ["SecurityEvent", "record"]
