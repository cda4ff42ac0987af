"""What is there to be read: the rules in the reader's language, and the documentation."""
