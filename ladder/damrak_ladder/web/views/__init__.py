"""Pages, by what they are about."""
