"""What games share: small plain functions, none of which knows a game.

faces      dice that give a result, for replays
weights    integer weights: sums of draws, hits of n dice; draws of one of very many
losses     loss orders: hits taken along a line say who is left
retreat    retreat policies as numbers, and the one rule that reads them
policies   refusals: parameters that a policy needs or does not use
chances    policies that ask for the chance to win
courses    rows of a battle composed of stages
naming     sides, winners and counts in words
sheets     tables in CSV files, described in TOML, varied row by row

Chance tables collected by key are `simulator.engine.model.chance.TableBook.by`.
"""
