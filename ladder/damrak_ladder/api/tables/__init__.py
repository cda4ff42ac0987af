"""Tables: games against bots and people, which a program plays for its user.

shapes       shapes of tables, and what a seat knows of its table
operations   the operations
"""
