"""How much the referee adds to the cost of a move, beside a bare exchange of the same messages.

    process   a referee of our own, or an echo, as a child process
    echo      the bare exchange: a gRPC server that answers every message with one of a given size
    seats     clients that play matches at random, as many at once as one likes
    pace      decisions a second of one match and of many, and of the echo
    crowd     many idle bots and many matches at once
    house     matches of house bots through the whole stack
    starting  how long a bot takes to be ready, in the sandbox and without
    report    all of it
    flood     clients that flood a referee
    floods    how long a match waits during a flood

Server and clients are processes of their own, with uvloop where it is installed, on Unix sockets.
"""
