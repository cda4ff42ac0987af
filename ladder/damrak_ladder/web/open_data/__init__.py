"""The page of open data, and its files.

ranges      parts of files that clients ask for
views       the page, the index and the files
"""
