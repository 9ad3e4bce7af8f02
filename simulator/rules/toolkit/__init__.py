"""Functions that games share; none of them knows a game.

faces      dice faces that give a result, for replays
weights    integer weights: sums of draws, hits of n dice; draws from very long tables
losses     loss orders: units left by hits taken along a line
retreat    retreat policies as numbers, and the rule that reads them
policies   refusals: missing and unused parameters of policies
naming     sides, winners and counts in words
sheets     tables in CSV files, described in TOML, with rows overridden by scenarios

Chance tables collected by key are `simulator.engine.model.chance.TableBook.by`.
"""
