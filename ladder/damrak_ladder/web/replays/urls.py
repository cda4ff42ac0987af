"""URLs of the viewer's pages and files."""

from django.urls import path

from damrak_ladder.web.replays import views

# With a language prefix.
pages = (
    [
        path("matches/<int:pk>/embed/", views.embed, name="embed"),
        path("matches/<int:pk>/verify/", views.verify, name="verify"),
        path("matches/<int:pk>/insight/", views.insight, name="insight"),
    ],
    "replays",
)

# Without a language prefix.
files = (
    [
        path("matches/<int:pk>/moments/<str:eyes>.json", views.moments_file, name="moments"),
        path("matches/<int:pk>/position.svg", views.position, name="position"),
        path("matches/<int:pk>/position.png", views.position_pixels, name="position_pixels"),
        path("matches/<int:pk>/film.svg", views.film, name="film"),
        path("matches/<int:pk>/film.gif", views.film_pixels, name="film_pixels"),
        path("matches/<int:pk>/card.png", views.card, name="card"),
        path("matches/<int:pk>/replay.json", views.download, name="download"),
        path("matches/<int:pk>/live/", views.live, name="live"),
        path("boards.css", views.colours, name="colours"),
        path("oembed/", views.oembed, name="oembed"),
    ],
    "replay-files",
)
