"""Messages as codes with typed parameters, worded in the reader's language when they are shown.

message        the base class of messages, and their JSON form
account_codes  messages about accounts, tokens and sign-ins
bot_codes      messages about bots, submissions and archives
journey_codes  messages about a version's journey, its failures and its benching
block_codes    messages about attempts, referees and hosts
queue_codes    messages about waiting blocks
ladder_codes   messages about ladders and boards
act_codes      refusals of acts in tournaments, and what to do instead
entry_codes    entries in tournaments
season_codes   seasons of leagues
rule_codes     fields of the rules of tournaments, and of the payloads of acts
tournament_codes  alerts of organisers, and warnings about rules and pairings
story_codes    notable games and runs, and games in progress
puzzle_codes   the best moves of puzzles
trial_codes    messages about tests and canaries
catalogue      the texts of all messages
wording        the text of a message in a language
errors         the base class of exceptions with a message
model_field    a model field that stores a message
old_sentences  the messages of sentences that earlier releases stored
"""
