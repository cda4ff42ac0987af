"""Atom feeds, and the sitemap and robots.txt for search engines."""
