"""The front page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def home(request: HttpRequest) -> HttpResponse:
    """What this is, and how to join."""
    return render(request, "web/home.html")
