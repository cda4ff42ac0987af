"""The pages for organisers and staff."""
