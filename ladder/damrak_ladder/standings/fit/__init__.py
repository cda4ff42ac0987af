"""The fit of a ladder's ratings, and its publication."""
