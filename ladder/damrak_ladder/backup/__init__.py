"""Backups of an installation in one file: made while it runs, verified, restored atomically."""
