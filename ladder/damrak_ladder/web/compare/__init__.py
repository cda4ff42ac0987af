"""The comparison of two bots or versions."""
