"""API of tournaments.

kinds       enumerations and exact numbers
rules       the rules of a tournament, as they are given and as they are answered
answers     tournaments, entrants, rounds, tables and exports
changes     what an act changes
viewers     what the owner of a token may see of a tournament
details     the operations that read
checks      the operations with which organisers verify a tournament and look for collusion
spectators  the operation for spectators: chances
leagues     the operations on leagues: reading and editing
organisers  the operations on organisers and the invitation
acts        the operations that change: creation, entries and acts
seasons     the operation that begins the next season of a league
"""
