"""Messages between a seat and the referee, encoded to and parsed from bytes.

requests    requests of clients: encoding for clients, parsing for the referee
responses   responses of the referee: encoding for the referee
heard       responses of the referee: parsing for clients
"""

from damrak_wire.events import event_bytes
from damrak_wire.table.decoder import (
    Asked,
    Complained,
    Ended,
    News,
    Refused,
    Response,
    StaleAnswer,
    Welcomed,
    parse_response,
)
from damrak_wire.table.requests import (
    Decided,
    Failed,
    Join,
    Nonsense,
    Ready,
    Request,
    decided,
    failed,
    join,
    nonsense,
    parse_request,
    ready,
)
from damrak_wire.table.responses import (
    Welcome,
    complaint,
    ending_fault,
    ending_result,
    ending_void,
    news,
    question,
    rejection,
    stale,
    welcome,
)

__all__ = [
    "Asked",
    "Complained",
    "Decided",
    "Ended",
    "Failed",
    "Join",
    "News",
    "Nonsense",
    "Ready",
    "Refused",
    "Request",
    "Response",
    "StaleAnswer",
    "Welcome",
    "Welcomed",
    "complaint",
    "decided",
    "ending_fault",
    "ending_result",
    "ending_void",
    "event_bytes",
    "failed",
    "join",
    "news",
    "nonsense",
    "parse_request",
    "parse_response",
    "question",
    "ready",
    "rejection",
    "stale",
    "welcome",
]
