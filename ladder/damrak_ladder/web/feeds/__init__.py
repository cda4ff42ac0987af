"""Atom feeds of what people follow, and what search engines ask for."""
