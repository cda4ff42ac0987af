"""Desk pages for the user's webhooks: endpoints, their secrets and their deliveries."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST

from damrak_ladder.accounts.models import User
from damrak_ladder.events.values import EventType
from damrak_ladder.notices import webhooks as with_text
from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.notices.http_post import Answer
from damrak_ladder.web.site.access import UserRequest, own_or_404
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.webhooks.endpoints import add, disable, enable, rotate
from damrak_ladder.webhooks.errors import TooManyEndpoints, UnknownTarget
from damrak_ladder.webhooks.fan_out import NOTICE
from damrak_ladder.webhooks.manual_deliveries import replay, try_endpoint
from damrak_ladder.webhooks.models import Endpoint, Post, PostState, Target

SIZE: Final = 30

TARGETS: Final = {
    Target.NOTICES: gettext_lazy("My notifications"),
    Target.BOT: gettext_lazy("A bot"),
    Target.LADDER: gettext_lazy("A ladder"),
    Target.TOURNAMENT: gettext_lazy("A tournament"),
}

TYPES: Final = {
    NOTICE: gettext_lazy("I get a notification"),
    EventType.BLOCK_QUEUED: gettext_lazy("A block is waiting"),
    EventType.BLOCK_STARTED: gettext_lazy("A block begins"),
    EventType.BLOCK_FINISHED: gettext_lazy("A block is finished"),
    EventType.BLOCK_FAILED: gettext_lazy("A block could not be played"),
    EventType.BLOCK_WITHDRAWN: gettext_lazy("The results of a block are withdrawn"),
    EventType.STANDINGS_PUBLISHED: gettext_lazy("New ratings are published"),
    EventType.TOURNAMENT_CHANGED: gettext_lazy("A tournament changes"),
    EventType.VERSION_CHANGED: gettext_lazy("A version changes its state"),
    EventType.BOT_CHANGED: gettext_lazy("A bot has another live version"),
}

WITH_TEXT: Final = "text"
"""The target of the webhook that receives notices with their text, in a format of its own."""

STATES: Final = {
    PostState.WAITING: (gettext_lazy("waiting"), "busy"),
    PostState.SENT: (gettext_lazy("delivered"), "good"),
    PostState.DEAD: (gettext_lazy("failed"), "bad"),
}


class EndpointForm(forms.Form):
    """The address of a new webhook, and the events that it receives."""

    url = forms.URLField(
        label=gettext_lazy("URL"),
        max_length=500,
        assume_scheme="https",
        help_text=gettext_lazy("A public address that begins with https://."),
    )
    target = forms.ChoiceField(label=gettext_lazy("Events of"), choices=list(TARGETS.items()))
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        required=False,
        help_text=gettext_lazy(
            "The name of the bot, ladder or tournament as in the address of its page, "
            "such as canal-rat."
        ),
    )
    types = forms.MultipleChoiceField(
        label=gettext_lazy("Only these events"),
        choices=[(str(kind), label) for kind, label in TYPES.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Without a choice, the webhook receives all of them."),
    )

    def __init__(self, user: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        target = self.fields["target"]
        if isinstance(target, forms.ChoiceField) and with_text.webhook_of(user) is None:
            label = gettext_lazy("My notifications with their text")
            target.choices = [*TARGETS.items(), (WITH_TEXT, label)]


@login_required
@at_most(10, 60)
def webhooks(request: UserRequest) -> HttpResponse:
    """List the user's webhooks, and add one; its secret is shown once, in the response."""
    form = EndpointForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        said, now = form.cleaned_data, timezone.now()
        try:
            if said["target"] == WITH_TEXT:
                return _listed(
                    request, secret=with_text.set_webhook(request.user, said["url"], now)
                )
            made, secret = add(
                request.user,
                said["url"],
                Target(said["target"]),
                said["name"].strip(),
                now,
                types=said["types"],
            )
        except BadWebhook as problem:
            form.add_error("url", str(problem))
        except UnknownTarget:
            form.add_error("name", _("There is no bot, ladder or tournament with this name."))
        except TooManyEndpoints as problem:
            words = _("You have %(most)s webhooks, which is the maximum. Remove one of them first.")
            form.add_error(None, words % {"most": problem.most})
        else:
            return _page(request, made, secret)
    return _listed(request, form=form)


@login_required
@require_POST
@at_most(10, 60)
def change_webhook(request: UserRequest) -> HttpResponse:
    """Change, test, renew or remove the webhook of notices with their text."""
    user, now = request.user, timezone.now()
    match request.POST.get("do"):
        case "set":
            url = request.POST.get("url", "").strip()
            try:
                return _listed(request, secret=with_text.set_webhook(user, url, now))
            except BadWebhook as problem:
                return _listed(request, webhook_error=str(problem), webhook_url=url)
        case "renew":
            return _listed(request, secret=with_text.renew_secret(user, now))
        case "try":
            answer = with_text.try_webhook(user, now)
            if answer is not None and answer.is_good:
                messages.success(request, _("The test message was delivered."))
            elif answer is not None:
                messages.error(request, answer.trouble)
        case "remove":
            if with_text.remove_webhook(user):
                messages.success(request, _("The webhook was removed."))
    return HttpResponseRedirect(reverse("web:desk_webhooks"))


@login_required
@at_most(10, 60)
def webhook(request: UserRequest, pk: int) -> HttpResponse:
    """Show a webhook with its deliveries; test it, rotate its secret, or enable it."""
    endpoint, now = _own(request, pk), timezone.now()
    if request.method == "POST":
        match request.POST.get("do"):
            case "test":
                _report(request, try_endpoint(endpoint, now)[1])
            case "rotate":
                return _page(request, endpoint, rotate(endpoint, now))
            case "enable":
                enable(endpoint)
                messages.success(request, _("The webhook is enabled."))
        return HttpResponseRedirect(reverse("web:desk_endpoint", args=[pk]))
    return _page(request, endpoint)


@login_required
@at_most(30, 60)
def disable_webhook(request: UserRequest, pk: int) -> HttpResponse:
    """Ask for a confirmation, then disable this webhook."""
    endpoint = _own(request, pk)
    if request.method != "POST":
        return render(request, "web/desk/end_webhook.html", {"webhook": endpoint})
    disable(endpoint, timezone.now())
    messages.success(request, _("The webhook is disabled."))
    return HttpResponseRedirect(reverse("web:desk_endpoint", args=[pk]))


@login_required
@at_most(30, 60)
def remove_webhook(request: UserRequest, pk: int) -> HttpResponse:
    """Ask for a confirmation, then remove this webhook with its deliveries."""
    endpoint = _own(request, pk)
    if request.method != "POST":
        context = {"webhook": endpoint, "is_removal": True}
        return render(request, "web/desk/end_webhook.html", context)
    endpoint.delete()
    messages.success(request, _("The webhook was removed."))
    return HttpResponseRedirect(reverse("web:desk_webhooks"))


@login_required
@require_POST
@at_most(10, 60)
def replay_delivery(request: UserRequest, pk: int, delivery: int) -> HttpResponse:
    """Post a delivery again, with the same id and body."""
    endpoint = _own(request, pk)
    posts = Post.objects.select_related("endpoint__user").filter(endpoint=endpoint)
    _report(request, replay(get_object_or_404(posts, pk=delivery), timezone.now()))
    return HttpResponseRedirect(reverse("web:desk_endpoint", args=[pk]))


def _listed(request: UserRequest, **more: object) -> HttpResponse:
    found = Endpoint.objects.filter(user=request.user).order_by("pk")
    context = {
        "rows": [(endpoint, TARGETS[Target(endpoint.target)]) for endpoint in found],
        "form": EndpointForm(request.user),
        "webhook": with_text.webhook_of(request.user),
        **more,
    }
    return _private(render(request, "web/desk/webhooks.html", context))


def _own(request: UserRequest, pk: int) -> Endpoint:
    rows = Endpoint.objects.select_related("user").filter(pk=pk)
    return own_or_404(request, rows, f"webhook {pk}")


def _report(request: UserRequest, answer: Answer) -> None:
    if answer.is_good:
        messages.success(request, _("The event was delivered."))
    else:
        messages.error(request, answer.trouble)


def _page(request: UserRequest, endpoint: Endpoint, secret: str = "") -> HttpResponse:
    posts = Post.objects.filter(endpoint=endpoint, pk__lt=before(request)).order_by("-pk")
    found = page_of(list(posts[: SIZE + 1]), SIZE, lambda post: post.pk)
    context = {
        "webhook": endpoint,
        "target": TARGETS[Target(endpoint.target)],
        "types": [(kind, TYPES[kind]) for kind in TYPES if kind in endpoint.types],
        "secret": secret,
        "page": found,
        "deliveries": [(post, *STATES[PostState(post.state)]) for post in found.rows],
    }
    return _private(render(request, "web/desk/webhook.html", context))


def _private(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    return response
