"""The log of public and hidden changes, from which streams and webhooks are fed."""
