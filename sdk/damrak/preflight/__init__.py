"""Checks of `damrak check`: is a bot ready for matches?

situations   rare positions in which bots often fail
checks       tests of the bot, and their findings
"""
