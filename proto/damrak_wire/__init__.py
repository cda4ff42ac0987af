"""Conversion between engine values and protocol messages; the only place that does this.

All input is hostile until it has been parsed here: values that a parser returns are complete and
within their limits, and invalid input raises `WireError`, which names the field.

    errors    WireError
    fields    validation of single fields
    words     enums, which are words in the engine
    protobuf  encoding of messages by hand
    version   protocol versions and their negotiation
    boards    boards and rules
    clocks    thinking time
    events    events of a match
    state     observations
    results   results of matches
    table     messages between a seat and the referee
    orders    blocks and matches to play
    reports   outcomes of blocks and matches
    lobby     waiting remote bots
    watch     the public view
    archive   uploaded bots
    address   addresses of referees
    status    status of a referee
    control   client for controlling a referee
"""
