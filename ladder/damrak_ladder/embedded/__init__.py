"""The command `damrak-ladder up`: the whole platform on one machine, under one process."""
