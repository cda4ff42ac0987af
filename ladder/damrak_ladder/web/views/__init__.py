"""Views of the site, one module per subject."""
