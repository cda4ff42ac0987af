"""Content-addressed stores: each content under its own hash, and never changed."""
