"""British English; Django's own `en` is American."""
