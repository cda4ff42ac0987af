"""The author's desk: what belongs to whoever has logged in."""
