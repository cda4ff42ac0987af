"""Submission of new bots and new versions through forms."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.validators import RegexValidator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.connect_tokens import issue
from damrak_ladder.bots.errors import LimitReached, NameTaken, NotTaken, SameContent
from damrak_ladder.bots.models import SLUG, Bot
from damrak_ladder.bots.submission import create_bot
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.pipeline.submission import connect, submit
from damrak_ladder.web.site.access import UserRequest, own_or_404
from damrak_ladder.web.site.rate_limits import at_most

NEW = ""


def _note() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Changes"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Visible to everyone."),
    )


class LineForm(forms.Form):
    """The choice of the version's bot: an existing one of the user, or a new one."""

    bot = forms.ChoiceField(label=gettext_lazy("Bot"), required=False)
    name = forms.CharField(
        label=gettext_lazy("Name of the new bot"),
        required=False,
        max_length=40,
        validators=[
            RegexValidator(
                SLUG, gettext_lazy("Use only lower-case letters, digits, and hyphens between them.")
            )
        ],
        help_text=gettext_lazy("Lower-case letters, digits and hyphens, such as “canal-rat”."),
    )

    def __init__(self, owner: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        slugs = owner.bots.order_by("slug").values_list("slug", flat=True)
        field = self.fields["bot"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*((slug, slug) for slug in slugs), (NEW, _("a new bot, named below"))]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not said.get("bot") and not said.get("name") and "name" not in self.errors:
            self.add_error("name", _("Choose one of your bots, or enter the name of a new one."))
        return said

    def line(self, owner: User) -> Bot:
        """Return the chosen bot; create it if it is new.

        Raises:
            LimitReached, NameTaken
        """
        if slug := self.cleaned_data["bot"]:
            return Bot.objects.get(owner=owner, slug=slug)
        name = self.cleaned_data["name"]
        # It already exists if it was created when the archive was refused.
        if mine := Bot.objects.filter(owner=owner, slug=name).first():
            return mine
        try:
            return create_bot(owner, name, name, timezone.now())
        except ValueError:  # names of this form are reserved for house bots
            raise NameTaken(name) from None


class UploadForm(LineForm):
    """The form for a version as an archive."""

    archive = forms.FileField(
        label=gettext_lazy("Archive"),
        help_text=gettext_lazy(
            "The folder of the bot as .zip or .tar.gz, with a bot.py or damrak.toml."
        ),
    )
    note = _note()
    canary = forms.BooleanField(
        label=gettext_lazy("Start as a canary; do not go live after qualification"),
        required=False,
    )

    field_order = ("bot", "name", "archive", "note", "canary")


class RemoteForm(LineForm):
    """The form for a version that runs elsewhere and connects."""

    software = forms.CharField(
        label=gettext_lazy("Program name and version"),
        max_length=200,
        help_text=gettext_lazy(
            "A name and a version of your program, such as “canal-rat 1.4”. Change it whenever"
            " you change the program, so that each version keeps its own rating."
        ),
    )
    note = _note()

    field_order = ("bot", "name", "software", "note")


@login_required
@at_most(30, 3600)
def upload(request: UserRequest) -> HttpResponse:
    """Show the form for an archive; redirect to the page of the new version."""
    asked = {"bot": request.GET.get("bot", "")}
    form = UploadForm(request.user, request.POST or None, request.FILES or None, initial=asked)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            bot = form.line(request.user)
            version = submit(
                bot,
                said["archive"].read(),
                timezone.now(),
                note=said["note"],
                goes_live=not said["canary"],
            )
        except NameTaken as problem:
            form.add_error("name", text_of(problem.message))
        except SameContent as problem:
            form.add_error("archive", text_of(problem.message))
        except NotTaken as problem:
            form.add_error("archive", text_of(problem.message))
        except LimitReached as problem:
            form.add_error(None, text_of(problem.message))
        else:
            return HttpResponseRedirect(
                reverse("web:desk_version", args=[bot.slug, version.number])
            )
    context = {"form": form, "limits": settings.DAMRAK_LIMITS}
    return render(request, "web/desk/submit.html", context)


@login_required
@at_most(30, 3600)
def remote(request: UserRequest) -> HttpResponse:
    """Show the form for a remote bot; show its token once."""
    form = RemoteForm(request.user, request.POST or None)
    context: dict[str, object] = {"form": form}
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            bot = form.line(request.user)
            version, secret = connect(bot, said["software"], timezone.now(), note=said["note"])
        except NameTaken as problem:
            form.add_error("name", text_of(problem.message))
        except SameContent as problem:
            form.add_error("software", text_of(problem.message))
        except LimitReached as problem:
            form.add_error(None, text_of(problem.message))
        else:
            context |= {"version": version, "secret": secret, "bot": bot}
    response = render(request, "web/desk/remote.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@login_required
@at_most(20, 3600)
def renew_token(request: UserRequest, slug: str) -> HttpResponse:
    """Ask for a confirmation, then replace the token of a remote bot; show the new one once."""
    bot = own_or_404(request, Bot.objects.filter(slug=slug), f"bot {slug}")
    context: dict[str, object] = {"bot": bot}
    if request.method == "POST":
        context["secret"] = issue(bot, timezone.now())
    response = render(request, "web/desk/connect_token.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
