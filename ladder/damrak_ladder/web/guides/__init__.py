"""The reading pages: the rules in the reader's language, and the documentation."""
