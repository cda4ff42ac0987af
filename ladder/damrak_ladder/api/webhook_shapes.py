"""The JSON objects of webhooks: endpoints and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from ninja import Field, Schema
from pydantic import AfterValidator
from typing_extensions import TypeAliasType

from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.lists.cursors import LONGEST
from damrak_ladder.api.requests import Body
from damrak_ladder.api.types import among
from damrak_ladder.webhooks.fan_out import TYPES
from damrak_ladder.webhooks.models import Endpoint, Post

MOST: Final = 100


WebhookTarget = TypeAliasType("WebhookTarget", Literal["notices", "bot", "ladder", "tournament"])


def _known(kind: str) -> str:
    if kind not in TYPES:
        raise ValueError(f"it is not one of {', '.join(TYPES)}")
    return kind


WebhookEvent = TypeAliasType("WebhookEvent", Annotated[str, AfterValidator(_known), among(*TYPES)])
DeliveryState = TypeAliasType(
    "DeliveryState", Annotated[str, Field(json_schema_extra={"enum": ["waiting", "sent", "dead"]})]
)


class EndpointShape(Schema):
    """An address that receives events; `disabled` is the time since which it receives none."""

    id: int
    url: str
    target: WebhookTarget
    name: str
    """The slug of the bot, ladder or tournament."""
    types: list[WebhookEvent]
    """The types of events that it receives; empty for all."""
    created: datetime
    renewed: datetime
    former_until: datetime | None
    """Until then, the former secret signs, too."""
    disabled: datetime | None
    trouble: str


class EndpointSecret(EndpointShape):
    """An endpoint with its secret, which is shown once."""

    secret: str


class NewEndpoint(Body):
    """A new endpoint."""

    url: Annotated[str, Field(min_length=1, max_length=500)]
    target: WebhookTarget = "notices"
    name: Annotated[str, Field(max_length=100, pattern=STORABLE)] = ""
    types: Annotated[list[WebhookEvent], Field(default_factory=list, max_length=20)]
    """The types of events that it receives; empty for all."""


class DeliveryShape(Schema):
    """A delivery of an event; `trouble` is that of the latest try."""

    id: int
    message: str
    """The header `webhook-id`."""
    type: str
    created: datetime
    state: DeliveryState
    tries: int
    tried: datetime | None
    due: datetime
    trouble: str
    body: str


class DeliveryPage(Schema):
    """Deliveries, newest first; without a `next_cursor` there are no more."""

    items: list[DeliveryShape]
    next_cursor: str | None


class DeliveryFilter(Schema):
    """A page of deliveries."""

    cursor: Annotated[str, Field(max_length=LONGEST)] = ""
    limit: Annotated[int, Field(ge=1, le=MOST)] = 30


def endpoint_shape(endpoint: Endpoint) -> EndpointShape:
    """Return an endpoint as an answer."""
    return EndpointShape(
        target=endpoint.target,  # type: ignore[arg-type]  # validated by the schema
        **{
            name: getattr(endpoint, name) for name in EndpointShape.model_fields if name != "target"
        },
    )


def delivery_shape(post: Post) -> DeliveryShape:
    """Return a delivery as an answer."""
    return DeliveryShape(**{name: getattr(post, name) for name in DeliveryShape.model_fields})
