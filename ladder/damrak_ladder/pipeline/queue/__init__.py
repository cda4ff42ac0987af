"""The queue: which blocks are booked, in which order they wait, and which host plays them."""
