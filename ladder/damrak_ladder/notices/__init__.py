"""Notices to users, on the site, by mail and by webhook."""
