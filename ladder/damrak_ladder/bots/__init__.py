"""Bots, their versions, and which of them is live."""
