"""Matches to look at: what each pair of eyes sees, in moments, pictures and words."""
