"""Does a client speak the protocol? What `damrak conform` does with one.

A scripted referee listens, the client waits in its lobby, and scenarios call it to tables where
they do to it what happens to clients sooner or later: refusals, lost connections, odd messages.

    line        the network between the client and us, which can be slow, and be cut
    connection  one stream, and the server that accepts them
    stage       what scenarios share: who is here, what was noticed, how long to wait
    lobby       the client's stay in the lobby
    chair       the client's seat at a table: tickets, connections, what it says
    game        one match with the client in one of its seats
    house       how the other seats play
    strange     messages with what only later versions would put into them
    program     the client's process, if it is ours to start
    scenario    what a scenario is, and what it raises
    meeting …   the scenarios themselves, by what they are about
    suite       all of them in order, and the report
"""
