"""Predictions of winners: the form beside a broadcast, and the table of the best forecasters."""
