"""Who plays whom, and what it means."""
