"""URLs of the reading pages, with a language prefix, and of pictures and forms, without one."""

from django.urls import path

from damrak_ladder.web.guides import views

pages = (
    [
        path("rules/", views.rules, name="rules"),
        path("docs/", views.documents, name="documents"),
        path("docs/<path:name>/", views.document, name="document"),
    ],
    "guides",
)

files = [
    path("documents/<path:name>", views.picture, name="document_picture"),
    path("language/", views.language, name="choose_language"),
    path("notices/stop/<str:token>/", views.stop, name="stop_mails"),
]
