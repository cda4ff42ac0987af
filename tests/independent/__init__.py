"""A replay verifier written from the published page alone, as an independent check."""
