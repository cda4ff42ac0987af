"""Predictions of the winners of matches, and the table of the best forecasters."""
