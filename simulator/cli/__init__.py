"""The `battle-odds` command. Each command loads, computes, shows; what is longer lives in modules that tests call."""

from simulator.cli.exit_status import INTERRUPTED
from simulator.cli.run import main, run

__all__ = ["INTERRUPTED", "main", "run"]
