"""The one translator between engine values and messages.

Everything that comes in is hostile until it has passed through here: what a parser returns is
whole and within its limits, and what is not raises `WireError`, which names the field.

    errors    WireError
    fields    what single fields may hold
    words     the enums, which the engine calls by words
    packing   protobuf's own encoding, as far as messages are joined by hand
    version   which versions of the protocol are spoken
    boards    boards and rules
    clocks    thinking time
    events    what happened
    state     what a seat sees
    results   how it ended
    table     a seat at a table
    orders    what is to be played
    reports   what became of it
    lobby     remote bots that wait
    watch     the public view
    archive   uploaded bots
    address   where a referee is
    status    what a referee is and does
    control   driving it, by calls
"""
