"""What templates can draw and say."""
