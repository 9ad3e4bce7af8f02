"""The `battle-odds` command: each command reads, computes and shows; the shared part of that is `output`."""

from simulator.cli.run import INTERRUPTED, main, run

__all__ = ["INTERRUPTED", "main", "run"]
