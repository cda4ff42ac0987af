"""Messages acknowledged to a broker that is away.

Celery's transport for Redis goes on counting a message whose acknowledgement failed among those in
hand. A process whose hands are full takes no more, so it would not notice that the broker is back,
and stand still for ever. Here such a message is let go of: at worst its broker gives it out again,
and messages are hints.
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
    """Have all connections of this process behave so."""
    redis.Channel.QoS = _Qos
