"""Replays: signing, storage, retrieval and verification."""
