"""Verification of published ratings against the replays."""
