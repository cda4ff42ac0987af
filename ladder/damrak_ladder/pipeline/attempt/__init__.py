"""Attempts at blocks: the order for the referee, the lease, and the report that comes back."""
