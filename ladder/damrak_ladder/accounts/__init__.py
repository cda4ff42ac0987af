"""Accounts of users, and the tokens of programs that act for them."""
