"""A replay verifier written from the published page alone, kept as a second opinion."""
