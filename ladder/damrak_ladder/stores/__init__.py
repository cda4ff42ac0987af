"""Where contents are kept: each under its own hash, and never changed."""
