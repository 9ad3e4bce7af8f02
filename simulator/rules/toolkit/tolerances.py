"""Tolerances: numbers this close count as equal."""

# Chances and worths of one calculation, which differ by rounding alone.
ROUNDING = 1e-12
# Numbers of two calculations, and sums of given ones.
ALIKE = 1e-9
