"""The published ratings of ladders, and the data from which they are calculated."""
