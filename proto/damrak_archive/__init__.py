"""Archives of bots: the permitted contents, and the kind of bot in an archive.

The same rules apply to code that accepts, unpacks or creates archives.

    errors      ArchiveRefused
    limits      size limits
    manifest    the kind of bot, and how to run it
    extraction  extraction of untrusted archives into a sink
    inspection  inspection of an archive without keeping its files
"""
