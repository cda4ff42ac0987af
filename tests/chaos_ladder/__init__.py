"""The whole platform, killed at random: `cd tests && python -m chaos_ladder --help`."""
