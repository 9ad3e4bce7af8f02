"""Arrays of params as plain rules see them: the same numbers, plain, at any place and by row, in any dimensions."""

import numpy as np
import pytest

from simulator.engine.model.interpreted import PlainArray
from simulator.engine.model.limits import BrokenGame


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.float64, bool])
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (0,), (2, 0)])
def test_the_same_numbers_at_every_place(shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    seen = PlainArray(array)
    assert len(seen) == len(array)
    assert seen.shape == array.shape
    for place in np.ndindex(shape):
        value, row = seen[place if len(place) > 1 else place[0]], seen
        for i in place:
            row = row[i]
        assert value == row == array[place]
        assert type(value) is type(row) is type(array[place].item())


def test_rows_of_rows_and_what_is_not_there():
    seen = PlainArray(np.arange(24).reshape(2, 3, 4))
    assert list(seen[1, 2]) == [20, 21, 22, 23]
    assert seen[1][2, 3] == seen[1, 2, 3] == 23
    for place in [(2, 0, 0), (0, 3, 0), 2, -1, (0, -1), (1, 2, -4)]:
        with pytest.raises(BrokenGame, match=r"params has no place .*: its shape is \(2, 3, 4\), no index is negative"):
            seen[place]
    with pytest.raises(BrokenGame, match="changes params at 1 to 5"):
        seen[1] = 5
    assert 5 in seen[0, 1]
    assert 24 not in seen[1, 2]
