"""The published ratings of ladders, and how they came about."""
