"""Bots, their versions, and the choice of the live version."""
