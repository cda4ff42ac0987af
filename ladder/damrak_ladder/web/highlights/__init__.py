"""The pages of highlights: stories of a day or week, and the records of ladders."""
