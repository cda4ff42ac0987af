"""Message catalogues of the site: extraction, update, check and compilation.

For developers only; nothing imports this at run time.
"""
