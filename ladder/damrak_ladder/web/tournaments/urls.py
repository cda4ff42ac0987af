"""URLs of the pages of tournaments."""

from django.urls import path

from damrak_ladder.web.tournaments import entry, files, leagues, spectators, views

pages = [
    path("", views.tournaments, name="tournaments"),
    path("<slug:slug>/", views.tournament, name="tournament"),
    path("<slug:slug>/entrants/", views.entrants, name="tournament_entrants"),
    path("<slug:slug>/standings/", views.standings, name="tournament_standings"),
    path(
        "<slug:slug>/rounds/<int:stage>/<int:number>/",
        views.tournament_round,
        name="tournament_round",
    ),
    path("<slug:slug>/cross-table/<int:stage>/", views.cross_table, name="tournament_cross_table"),
    path("<slug:slug>/bracket/<int:stage>/", views.bracket, name="tournament_bracket"),
    path("<slug:slug>/enter/", entry.enter_bot, name="tournament_enter"),
    path("<slug:slug>/withdraw/<slug:bot>/", entry.withdraw_bot, name="tournament_withdraw"),
    path("<slug:slug>/log/", views.log, name="tournament_log"),
    path("<slug:slug>/live/", spectators.wall, name="tournament_wall"),
    path("<slug:slug>/chances/<int:stage>/", spectators.chances, name="tournament_chances"),
    path("<slug:slug>/card.png", spectators.card, name="tournament_card"),
    path("<slug:slug>/verify/", files.verify, name="tournament_verify"),
    path("<slug:slug>/collusion/", files.collusion, name="tournament_collusion"),
    path("<slug:slug>/files/<str:name>", files.download, name="tournament_file"),
]

league_pages = [
    path("", leagues.leagues, name="leagues"),
    path("<slug:slug>/", leagues.league, name="league"),
]
