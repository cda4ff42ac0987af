"""Long lists: matches and blocks by any filter, in pages or as one export.

cursors     opaque, signed positions in lists
filters     the filters, and their conditions on blocks
scanning    candidates from an index, with a limit of rows examined per request
results     results of one side of a match or block
pages       pages of items, with selected fields
exports     exports as NDJSON
"""
