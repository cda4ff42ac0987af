"""URLs of the pages on which people play, without the language prefix."""

from django.urls import path

from damrak_ladder.web.play import views

pages = [
    path("", views.play, name="play"),
    path("<str:code>/", views.game, name="play_game"),
    path("<str:code>/join/", views.join, name="play_join"),
    path("<str:code>/answer/", views.answer, name="play_answer"),
    path("<str:code>/leave/", views.leave, name="play_leave"),
    path("<str:code>/advice/", views.advice, name="play_advice"),
    path("<str:code>/back/", views.back, name="play_back"),
    path("<str:code>/log/", views.log, name="play_log"),
    path("<str:code>/stream/", views.stream, name="play_stream"),
]
