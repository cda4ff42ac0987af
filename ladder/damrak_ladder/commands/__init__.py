"""What an operator types, one module per command."""
