"""The whole platform on one machine, under one process: `damrak-ladder up`."""
