"""The HTTP API at /api/v1/. Private data requires a token; cookies are never accepted.

application   the API object, with the answers to all errors
problems      the format of errors
access        tokens, permissions and rate limits
answers       caching and cross-origin headers
paging        long lists in pages
shapes        the content of answers
bodies        limits of request bodies
"""
