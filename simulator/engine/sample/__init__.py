"""Seeded battles: alias tables, walks over known and unknown states, counts of final states."""
