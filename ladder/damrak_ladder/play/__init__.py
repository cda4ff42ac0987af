"""Games of people: tables at the real referee, and the relay that holds the seats of people."""
