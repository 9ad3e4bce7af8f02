"""The engine: it knows Markov chains and chance tables, never a game.

A battle is an absorbing Markov chain (see `model.chain`). The same rules are enumerated and solved (`graph`,
`factored`), and simulated with seeded random numbers (`sample`). Other layers import `api` and `model` alone.
"""
