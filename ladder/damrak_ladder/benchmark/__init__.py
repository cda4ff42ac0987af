"""Benchmarks of the site and of the whole platform, for `damrak-ladder bench`."""
