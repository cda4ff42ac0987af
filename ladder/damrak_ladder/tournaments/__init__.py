"""Tournaments and leagues: their records, formats and the organiser's acts."""
