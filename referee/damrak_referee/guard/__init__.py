"""Protection of TCP listeners against clients that have not authenticated.

gRPC accepts and reads connections itself and has no limits below calls and messages: it parses
everything a client sends on the one thread that serves every match. The guard stays outside the
data path, so that matches pay nothing: it reads the kernel's counters of each connection, closes
connections that exceed a limit, and lets the kernel drop new connections of an abusive address.

    clients   endpoints and client addresses
    sockets   the process's TCP connections: counters, close, listeners
    filter    the kernel filter that drops new connections of listed addresses
    limits    the limits and the token bucket
    account   the usage of one client address
    guard     the periodic check
"""
