"""Events: changes as their readers see them, read from the log through the gate of visibility."""
