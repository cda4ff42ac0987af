"""The public pages of bots, versions and authors."""
