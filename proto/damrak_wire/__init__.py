"""The one translator between engine values and messages."""
