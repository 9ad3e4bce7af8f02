"""The engine: knows chains of states and tables of chances, never a game.

A battle is an absorbing Markov chain (see `chain`). The same rules are enumerated (`exact`), fought with seeded
dice (`montecarlo`), told one battle at a time (`replay`) and solved backwards (`backward`).
"""
