"""The pages of a ladder: table, blocks, head-to-head matrix and projected knockout."""
