"""URLs of the files of open data, without a language prefix."""

from django.urls import path

from damrak_ladder.web.open_data import views

files = [
    path("data/index.json", views.index, name="data_index"),
    path("data/<slug:table>/<str:name>", views.file, name="data_file"),
]
