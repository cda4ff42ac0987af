"""URLs of the pages, without the language prefix, which the root URL configuration adds."""

from django.urls import include, path

from damrak_ladder.web import look
from damrak_ladder.web.views import (
    account,
    block,
    bot,
    compare,
    home,
    hosts,
    ladder,
    match,
    organise,
    person,
    queue,
    runtime,
    search,
    seat,
    security_log,
    users,
)
from damrak_ladder.web.views.desk import bots, device, notices, submissions, tokens, trials

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
    path("bots/<slug:slug>/token/", submissions.renew_token, name="desk_connect_token"),
    path("tests/", trials.trials, name="desk_tests"),
    path("tests/<int:pk>/", trials.trial, name="desk_test"),
    path("tests/<int:pk>/cancel/", trials.cancel_trial, name="desk_cancel_test"),
    path("tokens/", tokens.tokens, name="desk_tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke_token, name="desk_revoke_token"),
    path("notices/", notices.notices, name="desk_notices"),
    path("notices/read/", notices.read_notices, name="desk_read_notices"),
    path("notices/rules/", notices.set_rules, name="desk_set_rules"),
    path("notices/webhook/", notices.change_webhook, name="desk_webhook"),
]

_organise = [
    path("", organise.organise, name="organise"),
    path("blocks/<int:pk>/requeue/", organise.requeue_block, name="requeue_block"),
    path("hosts/<int:pk>/trust/", organise.trust_host, name="trust_host"),
    path("security/", security_log.security_log, name="security_log"),
    path("users/", users.users, name="users"),
    path("users/<int:pk>/role/", users.change, name="change_role"),
]

_account = [
    path("second-factor/", account.second_factor, name="second_factor"),
    path("sessions/<int:pk>/end/", account.end_session, name="end_session"),
    path("data/", account.data, name="account_data"),
    path("data/download/", account.download, name="download_data"),
    path("delete/", account.delete, name="delete_account"),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("live-table/", home.next_live_table, name="live_table"),
    path("ladders/", home.ladders, name="ladders"),
    path("ladders/<slug:slug>/", ladder.ladder, name="ladder"),
    path("ladders/<slug:slug>/blocks/", ladder.ladder_blocks, name="ladder_blocks"),
    path("ladders/<slug:slug>/matrix/", ladder.ladder_matrix, name="ladder_matrix"),
    path("ladders/<slug:slug>/knockout/", ladder.ladder_knockout, name="ladder_knockout"),
    path("bots/<slug:slug>/", bot.bot, name="bot"),
    path("bots/<slug:slug>/<int:number>/", bot.version, name="version"),
    path("compare/", compare.compare, name="compare"),
    path("owners/<str:name>/", person.person, name="person"),
    path("matches/<int:pk>/", match.match, name="match"),
    path("matches/<int:pk>/seats/<int:number>/log/", seat.seat_log, name="seat_log"),
    path("matches/<int:pk>/seats/<int:number>/bundle/", seat.seat_bundle, name="seat_bundle"),
    path("blocks/<int:pk>/", block.block, name="block"),
    path("queue/", queue.queue, name="queue"),
    path("hosts/", hosts.hosts, name="hosts"),
    path("runtime/", runtime.runtime, name="runtime"),
    path("search/", search.search, name="search"),
    path("device/", device.device, name="device"),
    path("desk/", include(_desk)),
    path("account/", include(_account)),
    path("organise/", include(_organise)),
    path("theme/", look.choose_theme, name="theme"),
]
