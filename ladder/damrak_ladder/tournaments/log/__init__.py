"""The log of a tournament and the state that follows from it. Nothing here uses Django."""
