"""What a bot's author does on a ladder, from his own machine.

address     the site's address, and which were used before
site        requests to it, and its refusals in words
login       tokens for it: asked for, kept, forgotten
local_key   the token of this machine's own installation
packing     a folder as an archive, the same bytes for the same files
journey     what happens to a version, as it happens
faults      what is left of a version that failed
"""
