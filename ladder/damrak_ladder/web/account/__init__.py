"""The pages of a user's account."""
