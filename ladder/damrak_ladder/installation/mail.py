"""Mail delivery of an installation, as Django settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from damrak_ladder.installation.environment import Environment


def mail_of(environment: Environment) -> dict[str, Any]:
    """Return the settings whose names begin with EMAIL_."""
    if environment.mail_url is None:
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": environment.home / "mail",
        }
    address = urlsplit(environment.mail_url)
    is_encrypted = address.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": address.hostname or "",
        "EMAIL_PORT": address.port or (465 if is_encrypted else 587),
        "EMAIL_HOST_USER": unquote(address.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(address.password or ""),
        "EMAIL_USE_SSL": is_encrypted,
        "EMAIL_USE_TLS": address.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 20,
    }
