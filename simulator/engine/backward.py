"""For games that are still on their way to `solve`."""

from simulator.engine.solve import state_values

__all__ = ["state_values"]
