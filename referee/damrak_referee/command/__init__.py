"""The command `damrak-referee`."""
