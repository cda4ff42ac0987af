"""An installation as one file: made while it runs, checked, and put back whole or not at all."""
