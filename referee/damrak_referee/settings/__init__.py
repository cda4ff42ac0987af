"""The settings of a referee, from options, variables and a file."""
