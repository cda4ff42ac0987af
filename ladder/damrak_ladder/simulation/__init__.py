"""Simulations of ladders: ratings and matchmaking measured on bots of known strength."""
