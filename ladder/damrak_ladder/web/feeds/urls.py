"""URLs of the feeds, next to their pages, and of the search engines' files at the root."""

from django.urls import path

from damrak_ladder.web.feeds import atom, crawlers

pages = (
    [
        path("feed/", atom.all_blocks, name="all"),
        path("following/feed/<str:token>/", atom.following, name="following"),
        path("highlights/feed/", atom.highlights, name="highlights"),
        path("ladders/<slug:slug>/feed/", atom.ladder_news, name="ladder"),
        path("ladders/<slug:slug>/blocks/feed/", atom.ladder_blocks, name="ladder_blocks"),
        path("bots/<slug:slug>/feed/", atom.bot_news, name="bot"),
        path("tournaments/<slug:slug>/feed/", atom.tournament_news, name="tournament"),
    ],
    "feeds",
)

files = [
    path("robots.txt", crawlers.robots, name="robots"),
    path("sitemap.xml", crawlers.maps, name="sitemaps"),
    path("sitemap-<slug:section>.xml", crawlers.addresses, name="sitemap"),
]
