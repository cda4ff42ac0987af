"""Bots in processes of their own: started, asked, watched, and gone at the end of the game.

    forms      engine values as plain tuples, for what is sent to a child
    messages   what a child may say, parsed strictly
    faults     what a bot made of a question: an answer, nonsense, silence, or a fault
    limits     memory, and what must not outlive the host
    driver     a bot and the calls it gets, whatever process it is in
    child      the loop of a child
    output     what a bot prints, bounded
    printing   where it printed to standard output, which is a fault of it
    link       the host's end of the line to a child, with deadlines
    launch     how children come to be: `forked` from a warm `server`, or started afresh (`plain`)
    shared     the one launcher of a process
    hosted     a bot in a child, as the host sees it
    trusted    a house bot in the host's own process, seen in the same way

This keeps accidents of bots away from the game and from each other. It is no prison: a child has
the rights of the user who started it.
"""
