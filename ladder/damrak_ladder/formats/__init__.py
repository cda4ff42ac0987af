"""How dates and numbers are written where Django has no such language."""
