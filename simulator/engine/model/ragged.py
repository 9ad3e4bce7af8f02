"""Groups of different sizes, one after the other in one array."""

from __future__ import annotations

import numpy as np


def members(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The group of each member of groups of these sizes, and its place within the group: int64, shape (members,)."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
