"""Periodic upkeep: expiry of attempts, retention, and checks of hosts and replays."""
