"""The buttons to follow something, and the page of what a user follows."""
