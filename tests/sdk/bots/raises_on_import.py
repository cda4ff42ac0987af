raise LookupError("not a good day for importing")
