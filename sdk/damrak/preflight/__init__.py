"""Is a bot fit to be sent into a match? What `damrak check` looks at.

situations   positions that bots meet seldom, and trip over
checks       what is done with the bot, and what is made of it
"""
