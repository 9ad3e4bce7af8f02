"""The raw random numbers on standard output, for test batteries.

    python benchmarks/raw_stream.py --order across | RNG_test stdin32 -multithreaded
    python benchmarks/raw_stream.py --order within | dieharder -a -g 200

Orders: `within` one long battle after the other; `across` the first number of every battle, battle by battle; `rounds`
the first eight numbers of each battle, as short battles use them; `reversed` as across, bits reversed (tests the low
bits as hard as the high ones); `seeds` the first number of battle 0 of every seed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from simulator.engine.model.streams import GAMMA, battle_key, mix

BLOCK = 1 << 20


def halves(words: np.ndarray) -> np.ndarray:
    """64-bit words as 32-bit numbers in drawing order, the high half first."""
    return np.stack([(words >> np.uint64(32)).astype(np.uint32), words.astype(np.uint32)], axis=-1).reshape(-1)


def numbers(order: str, seed: int, block: int) -> np.ndarray:
    """Block `block` of the raw numbers in this order."""
    at = np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.uint64)
    if order == "within":
        battle, draw = np.divmod(at, np.uint64(1 << 32))
        return halves(mix(battle_key(np.uint64(seed), battle) + (draw + np.uint64(1)) * GAMMA))
    if order == "rounds":
        battle = np.arange(block * (BLOCK // 4), (block + 1) * (BLOCK // 4), dtype=np.uint64)
        key = battle_key(np.uint64(seed), battle)
        draws = np.arange(1, 5, dtype=np.uint64) * GAMMA
        return halves(mix(key[:, None] + draws[None, :]).reshape(-1))
    key = battle_key(at, np.uint64(0)) if order == "seeds" else battle_key(np.uint64(seed), at)
    high = (mix(key + GAMMA) >> np.uint64(32)).astype(np.uint32)
    return reversed_bits(high) if order == "reversed" else high


def reversed_bits(values: np.ndarray) -> np.ndarray:
    """Each 32-bit number with its bits in the opposite order."""
    octets = np.flip(values[:, None].view(np.uint8), axis=1)
    return np.packbits(np.unpackbits(octets, axis=1, bitorder="little"), axis=1).view(np.uint32).reshape(-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--order", choices=("within", "across", "rounds", "reversed", "seeds"), default="across")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--blocks", type=int, default=1 << 40)
    options = parser.parse_args()
    with np.errstate(over="ignore"):
        for block in range(options.blocks):
            try:
                sys.stdout.buffer.write(numbers(options.order, options.seed, block).tobytes())
            except BrokenPipeError:
                sys.stderr.close()
                return


if __name__ == "__main__":
    main()
