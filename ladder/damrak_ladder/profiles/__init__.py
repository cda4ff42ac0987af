"""Figures of versions, blocks and hosts that both the pages and the API show."""
