"""What is told to people, and by which way."""
