"""A running match: the arbiter, the chairs of its seats, their connections, and the clock."""
