"""Bots in processes: archives unpacked, seats started in sandboxes, house bots kept warm.

    client      the runner as the referee sees it; nothing else is imported from outside
    places      what is started for a seat, and how that ended
    settings    where it works, and what a bot may use
    messages    what the two say to each other, one JSON object a line
    service     the runner's own process: `python -m damrak_referee.runner DESCRIPTOR`
    instance    the folder of one run, and the sweeping of what dead ones left

    archive     which archives are taken
    manifest    what kind of bot is in one
    unpack      the process that opens them, which may do nothing else
    store       unpacked archives by the SHA-256 of their content

    runtime     the files a bot finds in its sandbox
    syscalls    the system calls it may make
    groups      control groups: what all its processes may use together
    hierarchy   where those can be made, in both versions
    slots       user numbers, one for each sandbox
    sandbox     the command that builds the sandbox
    isolation   which kind of sandbox this machine can give, found out by trying
    probe       what is tried, from inside

    spawn       child processes that do not outlive us
    output      what a bot prints, bounded
    verdict     how a seat's process ended and whose fault that was, by evidence
    seat        a seat's process from start to end
    gate        the door of each sandbox, and the `relay` behind it, which lets only so much pass
    status      what bubblewrap says about its inside
    house       warm processes for house bots

The runner has one thread and no gRPC, so it may fork; the referee may not. It owns every bot
process: when it dies they die, and when its referee dies it ends them and itself.
"""
