"""Statistics of block scores, shared by the SDK and the ladder. It needs no other package."""
