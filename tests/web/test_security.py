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


def take_twice(answers):
    limit_memory(64 * MEGABYTE)
    held = bytearray(48 * MEGABYTE)
    limit_memory(64 * MEGABYTE)
    try:
        answers.put(len(held) + len(bytearray(48 * MEGABYTE)))
    except MemoryError:
        answers.put("refused")


@pytest.mark.skipif(sys.platform != "linux", reason="enforced on Linux only")
def test_an_answer_has_its_memory_whatever_its_worker_keeps_of_others():
    answers = SPAWN.Queue()
    process = SPAWN.Process(target=take_twice, args=(answers,))
    process.start()
    assert answers.get(timeout=60) == 96 * MEGABYTE
    process.join(60)
