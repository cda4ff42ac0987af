"""URLs of the organiser's desk."""

from collections.abc import Sequence

from django.urls import URLPattern, path

from damrak_ladder.web.tournament_desk import (
    act_pages,
    bulk_entry,
    creation_pages,
    league_edit,
    pages,
    people,
    reveal,
    rule_history,
    season,
)

public: Sequence[URLPattern] = [
    path("<slug:slug>/rules/", rule_history.rule_history, name="tournament_rule_history"),
]

leagues: Sequence[URLPattern] = [
    path("<slug:slug>/", league_edit.league_edit, name="league_edit"),
]

desk: Sequence[URLPattern] = [
    path("", pages.tournaments, name="organise_tournaments"),
    path("new/", creation_pages.new, name="tournament_new"),
    path("<slug:slug>/", pages.desk, name="tournament_desk"),
    path("<slug:slug>/rules/", creation_pages.change_rules, name="tournament_rules"),
    path("<slug:slug>/entrants/", pages.entrants, name="tournament_desk_entrants"),
    path("<slug:slug>/entrants/add/", bulk_entry.enter_many, name="tournament_enter_many"),
    path(
        "<slug:slug>/rounds/<int:stage>/<int:number>/",
        pages.desk_round,
        name="tournament_desk_round",
    ),
    path("<slug:slug>/reveal/<int:stage>/<int:number>/", reveal.reveal, name="tournament_reveal"),
    path("<slug:slug>/next-season/", season.next_season, name="tournament_next_season"),
    path("<slug:slug>/log/", pages.log, name="tournament_desk_log"),
    path("<slug:slug>/people/", people.people, name="tournament_people"),
    path("<slug:slug>/acts/<slug:kind>/", act_pages.act, name="tournament_act"),
]
