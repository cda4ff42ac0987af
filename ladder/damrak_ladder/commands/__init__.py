"""The commands of `damrak-ladder`, one module per command."""
