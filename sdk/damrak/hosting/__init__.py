"""Hosting of bots in child processes: start, questions, supervision and clean-up.

    forms      engine values as plain tuples, for sending to a child
    messages   the messages of a child, parsed strictly
    faults     answers to a question: an action, nonsense, silence, or a fault
    limits     memory limits, and processes that must end with the host
    driver     a bot and the calls it receives, in any process
    child      the main loop of a child
    output     bounded buffers for a bot's output
    printing   detection of output to standard output, which is a fault
    link       the host's end of the connection to a child, with deadlines
    launch     starting children: `forked` from a warm `server`, or new interpreters (`plain`)
    shared     the shared launcher of a process
    hosted     a bot in a child, from the host's side
    trusted    a house bot in the host's own process, with the same interface

This protects games and bots from accidents of other bots. It is not a security boundary: a child
has the rights of the user who started it.
"""
