"""Django templates whose output has no control characters for terminals or text direction."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString, mark_safe

from damrak_ladder.plain_text import plain_text


class PlainTemplates(DjangoTemplates):
    """The backend of all pages, fragments, and mails that have a template."""

    def from_string(self, template_code: str) -> Template:
        """Return a template from its source."""
        return _PlainTemplate(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> Template:
        """Return a template by its name."""
        return _PlainTemplate(super().get_template(template_name).template, self)


class _PlainTemplate(Template):
    def render(
        self, context: dict[str, Any] | None = None, request: HttpRequest | None = None
    ) -> SafeString:
        text = super().render(context, request)
        return mark_safe(plain_text(text))  # noqa: S308 - it was safe, and nothing was added
