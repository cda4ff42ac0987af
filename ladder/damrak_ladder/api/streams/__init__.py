"""Streams of events: one reader per process follows the log, for any number of streams.

A view checks a request and hands the connection over to the hub (`handover`), so that an open
stream needs neither a thread nor a database connection.
"""
