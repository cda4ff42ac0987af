"""The server of `damrak mcp`, through which coding assistants use a ladder.

summary     a replay in a few hundred words
reading     tools that read: matches, standings, comparisons, submissions, failures, logs
changing    tools that change: submissions, live versions, acts of organisers
server      the server, with the tools that the token permits
"""
