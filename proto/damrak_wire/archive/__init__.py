"""Archives of bots: what may be in one, and what kind of bot it holds.

Whoever takes an archive in, unpacks it or makes one asks the same rules here.

    errors      ArchiveRefused
    limits      how much there may be of everything
    manifest    what kind of bot the files are, and how it is run
    unpacking   reads an archive, which a stranger wrote, into a sink
    inspection  looks an archive over without keeping what it holds
"""
