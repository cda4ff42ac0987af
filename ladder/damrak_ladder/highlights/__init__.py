"""Highlights: stories of the day and week, records, streaks and the bot of the week."""
