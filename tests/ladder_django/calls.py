"""Calls of the interface for programs, as a program makes them."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from typing import Any

from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.accounts.tokens import issue

MEMORY = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "for-tests",
    }
}
EVERY_SCOPE = (Scope.READ, Scope.SUBMIT, Scope.PLAY)


class Program:
    """Somebody's program; nobody's, without an owner. It has no cookies and is checked for CSRF."""

    def __init__(
        self, owner: User | None = None, scopes: tuple[Scope, ...] = EVERY_SCOPE, secret: str = ""
    ) -> None:
        cache.clear()
        if owner is not None:
            _, secret = issue(owner, uuid.uuid4().hex, scopes, timezone.now())
        self.secret = secret
        self.client = Client(enforce_csrf_checks=True)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self._ask("get", path, headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        data = json.dumps(body or {})
        return self._ask("post", path, headers, data=data, content_type="application/json")

    def send(self, path: str, data: bytes, kind: str = "application/zip") -> HttpResponse:
        return self._ask("post", path, {}, data=data, content_type=kind)

    def delete(self, path: str) -> HttpResponse:
        return self._ask("delete", path, {})

    def _ask(self, method: str, path: str, headers: dict[str, str], **options: Any) -> HttpResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["host"] = "127.0.0.1"
        if self.secret:
            sent["authorization"] = f"Bearer {self.secret}"
        answer: HttpResponse = getattr(self.client, method)(
            f"/api/v1/{path}", headers=sent, **options
        )
        return answer


def problem_of(answer: HttpResponse, status: int, code: str) -> dict[str, Any]:
    """The problem in an answer, which is to be this one."""
    said: dict[str, Any] = json.loads(answer.content)
    assert (answer.status_code, said["code"]) == (status, code), said
    assert answer["Content-Type"] == "application/problem+json"
    assert said["detail"]
    assert said["type"] == f"urn:damrak:problem:{code}"
    return said


def archive_with(text: str = "", **files: bytes) -> bytes:
    """An archive with a bot whose source holds this text; the same bytes at any time of day."""
    contents = {"bot.py": f"# {text}\nfrom damrak import Bot\n".encode()} | files
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()
