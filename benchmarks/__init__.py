"""Benchmarks of battle-odds."""

import os

# Processes that are measured keep byte code, as an installed package does.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
