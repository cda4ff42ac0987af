"""The page of a block, and lists of blocks."""
