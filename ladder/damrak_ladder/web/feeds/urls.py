"""URLs of the feeds, next to their pages, and of the search engines' files at the root."""

from django.urls import path

from damrak_ladder.web.feeds import atom, crawling

pages = (
    [
        path("feed/", atom.all_blocks, name="all"),
        path("ladders/<slug:slug>/feed/", atom.ladder_news, name="ladder"),
        path("ladders/<slug:slug>/blocks/feed/", atom.ladder_blocks, name="ladder_blocks"),
        path("bots/<slug:slug>/feed/", atom.bot_news, name="bot"),
    ],
    "feeds",
)

files = [
    path("robots.txt", crawling.robots, name="robots"),
    path("sitemap.xml", crawling.maps, name="sitemaps"),
    path("sitemap-<slug:section>.xml", crawling.addresses, name="sitemap"),
]
