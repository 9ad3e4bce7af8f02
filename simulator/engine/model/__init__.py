"""A battle as an absorbing Markov chain: what a game hands over, chance tables, random streams, limits."""
