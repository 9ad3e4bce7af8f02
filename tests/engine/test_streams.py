"""The random stream: the known generator, and its dice over battles, lanes and bits."""

import numpy as np
import pytest

from simulator.engine.model import streams
from simulator.engine.model.streams import GAMMA, Stream, battle_key, derive_seed, mix
from simulator.engine.sample.alias import alias_of, drawn
from simulator.engine.sample.simulation import Simulation
from tests.toys import urn

LIMIT = 4.5
BATTLES = 1 << 17


def z_of_chi_square(counts, expected=None):
    """Wilson-Hilferty z-score of a chi-square statistic."""
    counts = np.asarray(counts, float).ravel()
    expected = np.full(len(counts), counts.sum() / len(counts)) if expected is None else expected
    degrees = len(counts) - 1
    statistic = ((counts - expected) ** 2 / expected).sum()
    return ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / np.sqrt(2 / (9 * degrees))


def words(seed, battles, draws):
    """64-bit numbers: battles x draws."""
    with np.errstate(over="ignore"):
        key = battle_key(np.uint64(seed), np.arange(battles, dtype=np.uint64))
        return mix(key[:, None] + np.arange(1, draws + 1, dtype=np.uint64) * GAMMA)


def test_the_generator_is_splitmix64():
    # The published first outputs of splitmix64.c from state 1234567 (Vigna, prng.di.unimi.it).
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    with np.errstate(over="ignore"):
        assert [int(mix(np.uint64(1234567) + np.uint64(n) * GAMMA)) for n in range(1, 5)] == published


def test_no_two_battles_of_a_seed_start_alike():
    for seed in (0, 1, 2**64 - 1):
        with np.errstate(over="ignore"):
            keys = battle_key(np.uint64(seed), np.arange(200_000, dtype=np.uint64))
        assert len(np.unique(keys)) == 200_000


def test_kernels_draw_what_the_stream_says():
    chain = urn(9)
    simulation = Simulation(chain, seed=77, threads=1)
    simulation.add(3000)
    ends = simulation.ends()
    seen = {tuple(map(int, state)): int(n) for *state, n in zip(*ends.states, ends.count, strict=True)}
    answer = {}
    for battle in range(3000):
        stream, counts = Stream(77, battle), [0, 0, 0]
        for _ in range(9):
            counts[drawn(alias_of(chain.tables), 1, stream.next())] += 1
        answer[(*counts, 0)] = answer.get((*counts, 0), 0) + 1
    assert seen == answer


@pytest.mark.parametrize("seed", [0, 1, 987654321])
def test_dice_are_uniform_over_battles_and_draws(seed):
    faces = (words(seed, BATTLES, 4) >> np.uint64(32)) * np.uint64(6) >> np.uint64(32)
    for draw in range(4):
        assert abs(z_of_chi_square(np.bincount(faces[:, draw].astype(int), minlength=6))) < LIMIT


@pytest.mark.parametrize("shift", [1, 2, 511, 512])
def test_dice_of_neighbouring_battles_and_lanes_are_independent(shift):
    faces = ((words(5, BATTLES, 1)[:, 0] >> np.uint64(32)) * np.uint64(6) >> np.uint64(32)).astype(int)
    pairs = np.bincount(6 * faces[:-shift] + faces[shift:], minlength=36)
    assert abs(z_of_chi_square(pairs)) < LIMIT


def test_successive_dice_of_a_battle_are_independent():
    drawn = words(6, BATTLES, 2)
    halves = [drawn[:, 0] >> np.uint64(32), drawn[:, 0] & np.uint64(0xFFFFFFFF), drawn[:, 1] >> np.uint64(32)]
    faces = [(half * np.uint64(6) >> np.uint64(32)).astype(int) for half in halves]
    for first, second in ((0, 1), (1, 2), (0, 2)):
        assert abs(z_of_chi_square(np.bincount(6 * faces[first] + faces[second], minlength=36))) < LIMIT


def test_every_bit_is_fair_and_no_two_bits_of_a_number_agree_too_often():
    drawn = words(7, BATTLES, 1)[:, 0]
    bits = ((drawn[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(np.float64)
    ones = (bits.sum(axis=0) - BATTLES / 2) / np.sqrt(BATTLES / 4)
    assert np.abs(ones).max() < LIMIT
    agree = (2 * bits - 1).T @ (2 * bits - 1) / np.sqrt(BATTLES)
    np.fill_diagonal(agree, 0)
    # 2016 pairs: the largest of so many z-scores.
    assert np.abs(agree).max() < 5.5


def test_neighbouring_seeds_give_unrelated_battles():
    first, second = words(0, BATTLES, 1)[:, 0], words(1, BATTLES, 1)[:, 0]
    different = np.unpackbits((first ^ second).view(np.uint8)).mean()
    assert abs(different - 0.5) * np.sqrt(4 * 64 * BATTLES) < LIMIT
    assert not np.isin(first, second).any()


def test_derived_seeds_depend_on_every_label():
    seeds = {
        derive_seed(5),
        derive_seed(5, 0),
        derive_seed(5, 1),
        derive_seed(5, 0, 1),
        derive_seed(5, 1, 0),
        derive_seed(6, 0),
    }
    assert len(seeds) == 6
    assert all(0 <= seed <= streams.LARGEST_SEED for seed in seeds)


def test_keys_and_derived_seeds_are_the_known_ones():
    """Worked out with Python's own integers; a zero seed and label must not lead to a zero seed."""
    whole = 2**64 - 1

    def mixed(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & whole
        z = (z ^ z >> 27) * 0x94D049BB133111EB & whole
        return z ^ z >> 31

    for seed, battle in ((0, 0), (5, 1), (whole, 2**40)):
        key = mixed((mixed(battle) + mixed(seed ^ 0xD1B54A32D192ED03)) & whole)
        with np.errstate(over="ignore"):
            assert int(battle_key(np.uint64(seed), np.uint64(battle))) == key
        assert derive_seed(seed, battle) == mixed((seed + 0x9E3779B97F4A7C15 + mixed(battle)) & whole)
    assert derive_seed(0, 0) == 16294208416658607535
