"""Training of neural policies by self-play, in numpy: `damrak train`."""
