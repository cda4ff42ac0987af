"""The whole platform in a computer of its own, whose power is cut again and again."""
