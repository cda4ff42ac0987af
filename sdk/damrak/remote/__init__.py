"""Bots that play on a referee: seats, the lobby, and the commands for them."""
