"""Decisions: best play, the worth of a battle, the units that a target needs."""
