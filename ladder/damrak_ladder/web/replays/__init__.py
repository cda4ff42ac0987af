"""The match viewer: what each viewpoint sees of a match, as moments, pictures and words."""
