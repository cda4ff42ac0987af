"""The app as Django knows it."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Pages, and the look of them."""

    name = "damrak_ladder.web"
    label = "web"
