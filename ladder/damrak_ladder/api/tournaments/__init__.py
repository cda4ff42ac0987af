"""API of tournaments.

kinds       enumerations and exact numbers
rules       the rules of a tournament, as they are given and as they are answered
answers     tournaments, entrants, rounds, tables and exports
changes     what an act changes
viewing     what the owner of a token may see of a tournament
reading     the operations that read
checking    the operations with which organisers verify a tournament and look for collusion
spectating  the operations for spectators: chances and leagues
organisers  the operations on organisers and the invitation
acting      the operations that change: creation, entries and acts
seasons     the operation that begins the next season of a league
"""
