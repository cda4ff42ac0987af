"""URLs of the pages, without the language prefix, which the root URL configuration adds."""

from django.urls import URLPattern, URLResolver, include, path

from damrak_ladder.web.account import views as account_views
from damrak_ladder.web.block import views as block_views
from damrak_ladder.web.bot import author, views as bot_views
from damrak_ladder.web.compare import views as compare_views
from damrak_ladder.web.desk import (
    bots,
    device,
    notices,
    submissions,
    tokens,
    trials,
    webhooks,
)
from damrak_ladder.web.follows import views as follow_views
from damrak_ladder.web.highlights import views as highlight_views
from damrak_ladder.web.home import views as home_views
from damrak_ladder.web.ladder import views as ladder_views
from damrak_ladder.web.learn import views as learn_views
from damrak_ladder.web.match import seat_log, views as match_views
from damrak_ladder.web.open_data import views as open_data_views
from damrak_ladder.web.organise import security_log, users, views as organise_views
from damrak_ladder.web.platform import hosts, queue, runtime
from damrak_ladder.web.play import urls as play_urls
from damrak_ladder.web.predictions import views as prediction_views
from damrak_ladder.web.puzzles import views as puzzle_views
from damrak_ladder.web.site import hidden_results, search, theme
from damrak_ladder.web.tournament_desk import urls as tournament_desk_urls
from damrak_ladder.web.tournaments import urls as tournament_urls

app_name = "web"

_desk = [
    path("", bots.desk, name="desk"),
    path("submit/", submissions.upload, name="desk_submit"),
    path("remote/", submissions.remote, name="desk_remote"),
    path("bots/<slug:slug>/", bots.bot, name="desk_bot"),
    path("bots/<slug:slug>/<int:number>/", bots.version, name="desk_version"),
    path("bots/<slug:slug>/<int:number>/live/", bots.make_live, name="desk_make_live"),
    path("bots/<slug:slug>/<int:number>/again/", bots.qualify_again, name="desk_qualify_again"),
    path("bots/<slug:slug>/<int:number>/canary/", bots.canary, name="desk_canary"),
    path("bots/<slug:slug>/ladders/<slug:ladder>/", bots.change_entry, name="desk_entry"),
    path("bots/<slug:slug>/people/", bots.change_people, name="desk_people"),
    path("bots/<slug:slug>/token/", submissions.renew_token, name="desk_connect_token"),
    path("tests/", trials.trials, name="desk_tests"),
    path("tests/<int:pk>/", trials.trial, name="desk_test"),
    path("tests/<int:pk>/cancel/", trials.cancel_trial, name="desk_cancel_test"),
    path("tokens/", tokens.tokens, name="desk_tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_token, name="desk_revoke_token"),
    path("notices/", notices.notices, name="desk_notices"),
    path("notices/read/", notices.read_notices, name="desk_read_notices"),
    path("notices/rules/", notices.set_rules, name="desk_set_rules"),
    path("notices/webhook/", webhooks.change_webhook, name="desk_webhook"),
    path("webhooks/", webhooks.webhooks, name="desk_webhooks"),
    path("webhooks/<int:pk>/", webhooks.webhook, name="desk_endpoint"),
    path("webhooks/<int:pk>/disable/", webhooks.disable_webhook, name="desk_endpoint_disable"),
    path("webhooks/<int:pk>/remove/", webhooks.remove_webhook, name="desk_endpoint_remove"),
    path(
        "webhooks/<int:pk>/deliveries/<int:delivery>/replay/",
        webhooks.replay_delivery,
        name="desk_replay_delivery",
    ),
]

_organise: list[URLPattern | URLResolver] = [
    path("", organise_views.organise, name="organise"),
    path("blocks/<int:pk>/requeue/", organise_views.requeue_block, name="requeue_block"),
    path("hosts/<int:pk>/trust/", organise_views.trust_host, name="trust_host"),
    path("security/", security_log.security_log, name="security_log"),
    path("tournaments/", include(tournament_desk_urls.desk)),
    path("leagues/", include(tournament_desk_urls.leagues)),
    path("users/", users.users, name="users"),
    path("users/<int:pk>/role/", users.change, name="change_role"),
]

_account = [
    path("second-factor/", account_views.second_factor, name="second_factor"),
    path("sessions/<int:pk>/end/", account_views.end_session, name="end_session"),
    path("data/", account_views.data, name="account_data"),
    path("data/download/", account_views.download, name="download_data"),
    path("delete/", account_views.delete, name="delete_account"),
]

urlpatterns = [
    path("", home_views.home, name="home"),
    path("live-table/", home_views.next_live_table, name="live_table"),
    path("ladders/", home_views.ladders, name="ladders"),
    path("ladders/<slug:slug>/", ladder_views.ladder, name="ladder"),
    path("ladders/<slug:slug>/blocks/", ladder_views.ladder_blocks, name="ladder_blocks"),
    path("ladders/<slug:slug>/matrix/", ladder_views.ladder_matrix, name="ladder_matrix"),
    path("ladders/<slug:slug>/knockout/", ladder_views.ladder_knockout, name="ladder_knockout"),
    path("bots/<slug:slug>/", bot_views.bot, name="bot"),
    path("bots/<slug:slug>/<int:number>/", bot_views.version, name="version"),
    path("tournaments/", include(tournament_urls.pages)),
    path("tournaments/", include(list(tournament_desk_urls.public))),
    path("leagues/", include(tournament_urls.league_pages)),
    path("compare/", compare_views.compare, name="compare"),
    path("owners/<str:name>/", author.person, name="person"),
    path("matches/<int:pk>/", match_views.match, name="match"),
    path("matches/<int:pk>/seats/<int:number>/log/", seat_log.seat_log, name="seat_log"),
    path("matches/<int:pk>/seats/<int:number>/bundle/", seat_log.seat_bundle, name="seat_bundle"),
    path("blocks/<int:pk>/", block_views.block, name="block"),
    path("learn/", learn_views.learn, name="learn"),
    path("play/", include(play_urls.pages)),
    path("following/", follow_views.following, name="following"),
    path("following/address/", follow_views.change_feed, name="following_feed"),
    path("follow/", follow_views.change, name="follow"),
    path("puzzles/", puzzle_views.today, name="puzzles"),
    path("puzzles/all/", puzzle_views.archive, name="puzzle_archive"),
    path("puzzles/<int:pk>/", puzzle_views.puzzle, name="puzzle"),
    path("highlights/", highlight_views.highlights, name="highlights"),
    path("records/", highlight_views.records, name="records"),
    path("predictions/", prediction_views.predictions, name="predictions"),
    path("matches/<int:pk>/predict/", prediction_views.predict_winner, name="predict"),
    path("queue/", queue.queue, name="queue"),
    path("hosts/", hosts.hosts, name="hosts"),
    path("runtime/", runtime.runtime, name="runtime"),
    path("data/", open_data_views.open_data, name="open_data"),
    path("search/", search.search, name="search"),
    path("device/", device.device, name="device"),
    path("desk/", include(_desk)),
    path("account/", include(_account)),
    path("organise/", include(_organise)),
    path("theme/", theme.choose_theme, name="theme"),
    path("results/", hidden_results.choose_results, name="results"),
]
