"""The runner: a process that unpacks archives, runs bots in sandboxes, and keeps house bots warm.

    client      the referee's interface to the runner; the only module imported from outside
    places      descriptions of a seat's process and of how it ended
    settings    folders of the runner, and limits of a bot
    messages    messages between the two, one JSON object per line
    service     the runner process: `python -m damrak_referee.runner DESCRIPTOR`
    instance    the folder of one run, and the removal of those left by earlier runs

    unpack      the restricted process that opens archives
    store       unpacked archives by the SHA-256 of their content

    runtime     the files in a bot's sandbox
    syscalls    the system calls that a bot may make
    groups      control groups, which limit all processes of a bot together
    hierarchy   where control groups can be created, in both versions
    slots       user ids, one for each sandbox
    sandbox     the command that builds the sandbox
    isolation   the kinds of sandbox that this machine supports, found by trial
    probe       the program that tries a sandbox from inside

    spawn       child processes that are killed with their parent
    output      the bounded output of a bot
    verdict     how a seat's process ended and whose fault that was, by evidence
    seat        a seat's process from start to end
    gate        the socket into each sandbox, and the rate-limiting `relay` behind it
    status      the events that bubblewrap reports from inside
    house       warm processes for house bots

The runner has one thread and no gRPC, so it may fork; the referee may not. It owns every bot
process: they end with it, and when its referee exits, it ends them and itself.
"""
