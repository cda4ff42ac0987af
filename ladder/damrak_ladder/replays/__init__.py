"""Replays: signed, kept, found again and checked again."""
