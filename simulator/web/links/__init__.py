"""Scenarios as addresses, and the lists that pages link to."""
