"""Client of a ladder's site, for a bot's author.

address     the site's address, and the one used last
site        requests to the site, and its refusals as exceptions
login       tokens for the site: requesting, storing and deleting them
local_key   the token of an installation on this machine
archive     reproducible archives of bot folders
journey     the steps of a version's qualification
cures       what to type after a refusal of the site
faults      log and bundle of a version that failed
"""
