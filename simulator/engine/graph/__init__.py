"""Chains enumerated as graphs of states, solved exactly, and decisions on them."""
