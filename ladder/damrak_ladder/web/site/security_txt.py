"""/.well-known/security.txt: where to report vulnerabilities (RFC 9116)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

VALID_FOR: Final = timedelta(days=180)
"""RFC 9116 recommends less than a year."""


@require_safe
@cache_control(public=True, max_age=86_400)
def security_txt(request: HttpRequest) -> HttpResponse:
    """Return the contact, its expiry date, and the address of this file."""
    lines = [
        f"Contact: {settings.DAMRAK_SECURITY_CONTACT}",
        f"Expires: {_expires().isoformat(timespec='seconds').replace('+00:00', 'Z')}",
        f"Canonical: {settings.DAMRAK_URL}{reverse('security_txt')}",
        "Preferred-Languages: en",
        f"Policy: {settings.DAMRAK_URL}/en/docs/security/",
    ]
    text = "".join(f"{line}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _expires() -> datetime:
    day = settings.DAMRAK_SECURITY_EXPIRES or (timezone.now() + VALID_FOR).date()
    return datetime.combine(day, time(), UTC)
