"""API of the caller's preferences: the language of mails, and whether results are hidden."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from damrak_ladder.accounts.models import User
from damrak_ladder.api import filter_types
from damrak_ladder.api.access import SETTINGS, caller
from damrak_ladder.api.requests import Body

router = Router(tags=["account"])


class NewLanguage(Body):
    """The language of mails and notices."""

    language: filter_types.Language


class NewResults(Body):
    """Whether pages cover results until they are uncovered, and mails leave them out."""

    hidden: bool


@router.put(
    "/me/language",
    auth=SETTINGS,
    response={204: None},
    operation_id="set_language",
    summary="The language of mails and notices",
)
def set_language(request: HttpRequest, new: NewLanguage) -> Status[None]:
    """Set the language of the caller's mails and notices."""
    User.objects.filter(pk=caller(request).pk).update(language=new.language)
    return Status(204, None)


@router.put(
    "/me/results",
    auth=SETTINGS,
    response={204: None},
    operation_id="set_hidden_results",
    summary="Whether pages cover results",
)
def set_hidden_results(request: HttpRequest, new: NewResults) -> Status[None]:
    """Cover or show results on the pages that the caller opens, and in mails to the caller."""
    User.objects.filter(pk=caller(request).pk).update(hides_results=new.hidden)
    return Status(204, None)
