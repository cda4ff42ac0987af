"""API requests, as a program makes them."""

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
from ladder.api.declared import check_declared
from ladder.api.recording import record

MEMORY = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "for-tests",
    }
}
EVERY_SCOPE = (Scope.READ, Scope.SUBMIT, Scope.PLAY)


class Program:
    """An API client of a user, or anonymous; without cookies, and with CSRF checks."""

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

    def put(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        data = json.dumps({} if body is None else body)
        return self._ask("put", path, headers, data=data, content_type="application/json")

    def patch(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        data = json.dumps(body or {})
        return self._ask("patch", path, headers, data=data, content_type="application/json")

    def send(
        self, path: str, data: bytes, kind: str = "application/zip", **headers: str
    ) -> HttpResponse:
        return self._ask("post", path, headers, data=data, content_type=kind)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self._ask("delete", path, headers)

    def _ask(self, method: str, path: str, headers: dict[str, str], **options: Any) -> HttpResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["host"] = "127.0.0.1"
        if self.secret:
            sent["authorization"] = f"Bearer {self.secret}"
        answer: HttpResponse = getattr(self.client, method)(
            f"/api/v1/{path}", headers=sent, **options
        )
        check_declared(method, f"/api/v1/{path}", answer.status_code)
        content = b"" if answer.streaming else answer.content
        record(method, f"/api/v1/{path}", options.get("data"), answer.status_code, content)
        return answer


def problem_of(answer: HttpResponse, status: int, code: str) -> dict[str, Any]:
    """Return the problem of a response, which must have this status and code."""
    said: dict[str, Any] = json.loads(answer.content)
    assert (answer.status_code, said["code"]) == (status, code), said
    assert answer["Content-Type"] == "application/problem+json"
    assert said["detail"]
    assert said["type"] == f"urn:damrak:problem:{code}"
    return said


def archive_with(text: str = "", **files: bytes) -> bytes:
    """Return an archive with a bot whose source contains this text, with reproducible bytes."""
    contents = {"bot.py": f"# {text}\nfrom damrak import Bot\n".encode()} | files
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()
