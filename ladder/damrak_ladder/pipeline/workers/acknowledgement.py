"""Acknowledgement of messages while the broker is unreachable.

Celery's transport for Redis keeps counting a message whose acknowledgement failed as
unacknowledged. A process that has reached its prefetch limit takes no more messages, so it would
not notice that the broker is back, and would stall forever. Here such a message is released: at
worst the broker delivers it again, and messages are only hints.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class _Qos(redis.QoS):
    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except Exception:
            self._let_go(delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue=requeue)
        except Exception:
            self._let_go(delivery_tag)
            raise

    def _let_go(self, delivery_tag: Any) -> None:
        virtual.QoS.ack(self, delivery_tag)


def let_go_of_the_lost() -> None:
    """Make all connections of this process release messages whose acknowledgement failed."""
    redis.Channel.QoS = _Qos
