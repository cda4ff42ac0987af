"""Open data: the nightly dump of everything that is public, as Parquet and NDJSON.

tables      the tables of a dump and their columns
index       `index.json`: the files of a dump
days        what was played on which day, and the digests by which changes are noticed
matches     rows of matches
replays     rows of replays, without the names of deleted accounts
ratings     rows of published ratings
registers   rows of bots, versions, boards and ladders
writing     files of rows, in both formats
published   the latest dump, for readers
dumping     the dump: only what has changed is written
"""
