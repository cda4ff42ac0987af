"""Where the pages are. The language in front of them is the root's business."""

from django.urls import path

from damrak_ladder.web import look
from damrak_ladder.web.views import home

app_name = "web"

urlpatterns = [
    path("", home.home, name="home"),
    path("theme/", look.choose_theme, name="theme"),
]
