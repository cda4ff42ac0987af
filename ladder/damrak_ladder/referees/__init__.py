"""Clients of referees, for control and watching; the only package that uses gRPC."""
