"""API of webhooks: the caller's endpoints and their deliveries."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Status

from damrak_ladder.api.access import READ, SETTINGS, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.lists.cursors import cursor_at, fingerprint, key_at
from damrak_ladder.api.pagination import link_to_next
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.webhook_shapes import (
    DeliveryFilter,
    DeliveryPage,
    DeliveryShape,
    EndpointSecret,
    EndpointShape,
    NewEndpoint,
    delivery_shape,
    endpoint_shape,
)
from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.webhooks.endpoints import add, disable, enable, rotate
from damrak_ladder.webhooks.errors import TooManyEndpoints, UnknownTarget
from damrak_ladder.webhooks.manual_deliveries import replay, try_endpoint
from damrak_ladder.webhooks.models import Endpoint, Post, Target

router = Router(tags=["webhooks"])


@router.get(
    "/me/webhooks",
    auth=READ,
    response=list[EndpointShape],
    operation_id="list_endpoints",
    summary="Your endpoints",
)
def list_endpoints(request: HttpRequest, response: HttpResponse) -> list[EndpointShape]:
    """List the endpoints of the caller, without their secrets."""
    set_private(response)
    return [
        endpoint_shape(one) for one in Endpoint.objects.filter(user=caller(request)).order_by("pk")
    ]


@router.post(
    "/me/webhooks",
    auth=SETTINGS,
    response={201: EndpointSecret},
    operation_id="create_endpoint",
    summary="Add an endpoint",
)
@refuses("bad-webhook", "not-found", "limit-reached")
@idempotent(SETTINGS)
def create_endpoint(
    request: HttpRequest, response: HttpResponse, new: NewEndpoint
) -> Status[EndpointSecret]:
    """Add an endpoint for the caller's notices, or for a bot, a ladder or a tournament."""
    set_private(response)
    try:
        made, secret = add(
            caller(request),
            new.url,
            Target(new.target),
            new.name,
            timezone.now(),
            types=new.types,
        )
    except BadWebhook as problem:
        cure = "use an https address of a public host"
        raise Problem(409, "bad-webhook", f"url: {problem}", cure) from None
    except UnknownTarget as problem:
        raise not_found(f"{problem.target} {problem.name}", "`name` is the slug") from None
    except TooManyEndpoints as problem:
        raise Problem(409, "limit-reached", str(problem), "remove one of them") from None
    return Status(201, EndpointSecret(**endpoint_shape(made).model_dump(), secret=secret))


@router.get(
    "/me/webhooks/{int:endpoint_id}",
    auth=READ,
    response=EndpointShape,
    operation_id="get_endpoint",
    summary="An endpoint",
)
def get_endpoint(request: HttpRequest, response: HttpResponse, endpoint_id: int) -> EndpointShape:
    """Return an endpoint of the caller, without its secret."""
    set_private(response)
    return endpoint_shape(_own(request, endpoint_id))


@router.delete(
    "/me/webhooks/{int:endpoint_id}",
    auth=SETTINGS,
    response={204: None},
    operation_id="remove_endpoint",
    summary="Remove an endpoint",
)
def remove_endpoint(request: HttpRequest, endpoint_id: int) -> Status[None]:
    """Remove an endpoint of the caller with all its deliveries."""
    _own(request, endpoint_id).delete()
    return Status(204, None)


@router.post(
    "/me/webhooks/{int:endpoint_id}/secret",
    auth=SETTINGS,
    response=EndpointSecret,
    operation_id="rotate_endpoint_secret",
    summary="Rotate the secret of an endpoint",
)
@idempotent(SETTINGS)
def rotate_secret(request: HttpRequest, response: HttpResponse, endpoint_id: int) -> EndpointSecret:
    """Replace the secret and return it, once; for 24 hours the former one signs, too."""
    set_private(response)
    endpoint = _own(request, endpoint_id)
    secret = rotate(endpoint, timezone.now())
    return EndpointSecret(**endpoint_shape(endpoint).model_dump(), secret=secret)


@router.post(
    "/me/webhooks/{int:endpoint_id}/disable",
    auth=SETTINGS,
    response=EndpointShape,
    operation_id="disable_endpoint",
    summary="Disable an endpoint",
)
def disable_endpoint(
    request: HttpRequest, response: HttpResponse, endpoint_id: int
) -> EndpointShape:
    """Let an endpoint receive nothing until it is enabled; waiting deliveries are given up."""
    set_private(response)
    endpoint = _own(request, endpoint_id)
    disable(endpoint, timezone.now())
    return endpoint_shape(endpoint)


@router.post(
    "/me/webhooks/{int:endpoint_id}/enable",
    auth=SETTINGS,
    response=EndpointShape,
    operation_id="enable_endpoint",
    summary="Enable an endpoint that was disabled",
)
def enable_endpoint(
    request: HttpRequest, response: HttpResponse, endpoint_id: int
) -> EndpointShape:
    """Let an endpoint receive events again; earlier ones can be repeated one by one."""
    set_private(response)
    endpoint = _own(request, endpoint_id)
    enable(endpoint)
    return endpoint_shape(endpoint)


@router.post(
    "/me/webhooks/{int:endpoint_id}/test",
    auth=SETTINGS,
    response=DeliveryShape,
    operation_id="test_endpoint",
    summary="Test an endpoint",
)
def test_endpoint(request: HttpRequest, response: HttpResponse, endpoint_id: int) -> DeliveryShape:
    """Post an event of the type `test` at once, and return its delivery."""
    set_private(response)
    post, _ = try_endpoint(_own(request, endpoint_id), timezone.now())
    return delivery_shape(post)


@router.get(
    "/me/webhooks/{int:endpoint_id}/deliveries",
    auth=READ,
    response=DeliveryPage,
    operation_id="list_deliveries",
    summary="Deliveries to an endpoint",
)
@refuses("bad-cursor")
def list_deliveries(
    request: HttpRequest, response: HttpResponse, endpoint_id: int, page: Query[DeliveryFilter]
) -> DeliveryPage:
    """List the deliveries to an endpoint of the caller, newest first."""
    set_private(response)
    posts = Post.objects.filter(endpoint=_own(request, endpoint_id)).order_by("-pk")
    mark = fingerprint("deliveries", {"endpoint": endpoint_id})
    if (after := key_at(page.cursor, mark, 1)) is not None:
        posts = posts.filter(pk__lt=after[0])
    found = list(posts[: page.limit + 1])
    shown, next_cursor = found[: page.limit], None
    if len(found) > page.limit:
        next_cursor = cursor_at(mark, (shown[-1].pk,))
        link_to_next(request, response, cursor=next_cursor)
    return DeliveryPage(items=[delivery_shape(post) for post in shown], next_cursor=next_cursor)


@router.post(
    "/me/webhooks/{int:endpoint_id}/deliveries/{int:delivery_id}/replay",
    auth=SETTINGS,
    response=DeliveryShape,
    operation_id="replay_delivery",
    summary="Repeat a delivery",
)
def replay_delivery(
    request: HttpRequest, response: HttpResponse, endpoint_id: int, delivery_id: int
) -> DeliveryShape:
    """Post a delivery again at once, with the same id and body, and return it."""
    set_private(response)
    posts = Post.objects.select_related("endpoint__user")
    post = posts.filter(endpoint=_own(request, endpoint_id), pk=delivery_id).first()
    if post is None:
        raise not_found(f"delivery {delivery_id} to this endpoint")
    replay(post, timezone.now())
    return delivery_shape(post)


def _own(request: HttpRequest, endpoint_id: int) -> Endpoint:
    mine = Endpoint.objects.select_related("user").filter(user=caller(request))
    found = mine.filter(pk=endpoint_id).first() if endpoint_id < 1 << 63 else None
    if found is None:
        raise not_found(f"endpoint {endpoint_id} of yours", "GET /api/v1/me/webhooks lists them")
    return found
