"""The interface for programs, at /api/v1/. Only tokens open what is not public; cookies never do.

application   all of it, with the answers to everything that can go wrong
problems      what a refusal looks like
access        tokens, and how often they may be used
answers       who may read an answer, and for how long it is good
paging        long lists, piece by piece
shapes        what is sent
bodies        how much may be sent to us, and how slowly
"""
