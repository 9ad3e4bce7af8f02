"""The limit of memory of a worker process."""

import multiprocessing
import sys

import pytest

from simulator.web.messages import MEGABYTE
from simulator.web.server.fork_server import limit_memory

SPAWN = multiprocessing.get_context("spawn")


def take(answers, megabytes):
    limit_memory(64 * MEGABYTE)
    try:
        held = bytearray(megabytes * MEGABYTE)
        answers.put(len(held))
    except MemoryError:
        answers.put("refused")


@pytest.mark.skipif(sys.platform != "linux", reason="enforced on Linux only")
@pytest.mark.parametrize(("megabytes", "answer"), [(8, 8 * MEGABYTE), (256, "refused")])
def test_a_worker_has_no_more_memory_than_its_limit(megabytes, answer):
    answers = SPAWN.Queue()
    process = SPAWN.Process(target=take, args=(answers, megabytes))
    process.start()
    assert answers.get(timeout=60) == answer
    process.join(60)
