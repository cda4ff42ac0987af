"""Benchmarks of the referee, compared with a bare exchange of the same messages.

    process   a referee or an echo server as a child process
    echo      the bare exchange: a gRPC server that answers with messages of a given size
    loop      the event loop of servers and clients
    orders    blocks of matches for measurements
    seats     clients that play any number of matches at random
    pace      decisions per second of one match and of many, and of the echo
    crowd     many idle bots and many matches at once
    house     matches of house bots through the whole stack
    starting  the time a bot takes to be ready, with and without a sandbox
    report    all of these measurements
    flood     clients that flood a referee
    floods    the delay of a match during a flood

Servers and clients run in separate processes, with uvloop if it is installed, on Unix sockets.
"""
