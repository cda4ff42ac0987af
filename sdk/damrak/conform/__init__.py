"""Conformance tests of a client, as run by `damrak conform`.

A scripted referee listens, the client waits in its lobby, and scenarios call it to tables and
confront it with what clients meet in practice: refusals, lost connections, unknown messages.

    line        the network between client and referee, which can be slowed down and cut
    connection  one stream, and the server that accepts them
    stage       the state shared by scenarios: the client, its problems, and time limits
    lobby       the client's stay in the lobby
    chair       the client's seat at a table: tickets, connections, messages
    game        one match with the client in one of its seats
    house       policies of the other seats
    strange     messages with content of later versions
    program     the client's process, if `damrak conform` starts it
    scenario    the definition of a scenario, and its exceptions
    meeting …   the scenarios themselves, by subject
    suite       all scenarios in order, and the report
"""
