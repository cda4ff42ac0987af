"""The course: the game in six steps, on positions of one game that the engine plays."""
