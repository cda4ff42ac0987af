"""The pages on which people play: choice of opponents, invitations, and the table."""
