"""The lobby for remote bots: waiting bots, calls to tables, tickets and tokens."""
