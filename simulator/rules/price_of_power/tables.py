"""The chain of a land or naval battle, with all numbers known before the first roll.

Sections cited are those of docs/rules/price_of_power.md.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.price_of_power import rules
from simulator.rules.price_of_power.casualties import BITS, GONE, HEAVY, HITS, TERCIOS, UNITS, packed, part
from simulator.rules.price_of_power.dice import TableSet, caps_of, face, pools_of, printed_dice
from simulator.rules.price_of_power.forces import Side, first_lost
from simulator.rules.price_of_power.model import AnyBattle
from simulator.rules.price_of_power.round_per_step import least_size, reduced_chain
from simulator.rules.price_of_power.rules import BY_POLICY, STAGES, Params, State
from simulator.rules.toolkit.retreat import Leave, outnumbered
from simulator.rules.toolkit.weights import sum_of

KINDS = {"player": rules.PLAYER, "npr": rules.NPR, "rebels": rules.REBELS, "pirates": rules.TO_THE_LAST}
ASKS = {"never": rules.NEVER, "when-leader-wounded": rules.WHEN_WOUNDED, "best": rules.AT_BEST}
# By `ties`: the kinds of realms that are hit first among equally large defending factions.
HIT_FIRST = {"listed-order": (), "players-first": ("player",), "npr-first": ("npr", "rebels", "pirates")}
MOST_ROUNDS = (1 << 20) - 1
MOST_FACTIONS = 3
FORCES = ("attacker", "defender_1", "defender_2", "defender_3")
array = partial(np.array, dtype=np.int64)


class Setup:
    """A land or naval battle before its chain is built. `factions` are the attacker, then the defending ones.

    `last` is the last round in which anything depends on the round (section 3.4). Each side has `pools` of dice (see
    `pools_of`), `caps` on icons, and the dice of its charge. `brief`: a later stage needs the ships and units alone,
    not the damage.
    """

    def __init__(self, fields: AnyBattle, brief: bool = False) -> None:
        self.fields, self.options, self.brief = fields, fields.options, brief
        own_dice = {die: tuple(map(face, faces)) for die, faces in fields.options.dice if faces}
        self.dice = {**printed_dice(), **own_dice}
        self.sides = attacker, defender = Side("attacker", fields), Side("defender", fields)
        self.sea, self.factions = attacker.sea, attacker.factions + defender.factions
        self.last = max(1, fields.conditions.max_rounds, attacker.last, defender.last)
        self.pools = [pools_of(side, self.dice, self.last) for side in self.sides]
        pairs = (attacker, defender), (defender, attacker)
        self.caps = [caps_of(*pair, self.dice, rows) for pair, rows in zip(pairs, self.pools, strict=True)]
        self.charges = [side.charge(enemy) for side, enemy in pairs]


def starts_of(setup: Setup) -> list[str]:
    """Scenario paths of the numbers that only change the start state: units of a single realm that are lost first.

    Numbers are left out where a charge, the choice of dice, `when-half` or `best` depends on them.
    """
    paths: list[str] = []
    for side in () if any(setup.charges) else setup.sides:
        policy, single = side.policy, len(side.factions) == 1 and side.has_player and not side.draws
        by_odds = getattr(policy, "base_dice", "") == "best-expected"
        if single and policy.retreat not in {"when-half", "best"} and not by_odds:
            paths += [f"{side.where}.{name}" for name in first_lost(side.factions[0], policy.losses)]
    return paths


def chain_of(setup: Setup) -> Chain:
    """The chain of a battle. Raises Refusal for dice with too many different results."""
    table_set, options = TableSet(setup.dice), setup.options
    numbers = {**force_numbers(setup), **pool_numbers(setup, table_set)}
    tables, shown = table_set.close()
    params = Params(
        sea=int(setup.sea),
        whole_battle=int(options.casualty_alternation == "whole-battle"),
        damage_wounds=int(options.damage_counts_as_casualty),
        count_rounds=int(options.count_rounds),
        max_rounds=setup.fields.conditions.max_rounds,
        last=setup.last,
        main=setup.sides[1].main,
        brief=int(setup.brief),
        shown=shown,
        **numbers,
    )
    ends = ends_of(setup, rules.next_phase(params, rules.ATTACKER_DRAWS), int(shown.max() >> TERCIOS))
    chain = Chain(params, *ends, tables, counters=("rounds",), may_be_over=True)
    if not has_equal_rounds(setup, params):
        return chain
    reduced = reduced_chain(chain)
    return replace(chain, reduced=reduced, at_least=least_size(chain, reduced))


def has_equal_rounds(setup: Setup, p: Params) -> bool:
    """Two single realms on land whose rounds are all alike, one of which can always hit (round_per_step.py)."""
    timed = setup.last > 1 or p.max_rounds or p.whole_battle or any(setup.charges)
    several = len(setup.factions) > 2 or any(len(side.drawn) > 1 for side in setup.sides)
    if setup.sea or setup.brief or timed or several or rules.AT_BEST in p.asks:
        return False
    for place, side in enumerate(setup.sides):
        dead = int(p.pool[place, STAGES * max(side.drawn), 0, 1])
        if p.automatic[place] or all(part(dead, which) for which, units in enumerate(side.start) if units):
            return True  # by itself, or with an icon for each type of its units even when its leader is dead
    return False


def leave_of(side: Side) -> Leave:
    """The policy with which a player realm of this side leaves, except `when-leader-wounded` and `best` (see ASKS)."""
    policy, at = side.policy.retreat, side.policy.retreat_at
    return {
        "when-outnumbered": outnumbered(),
        "when-half": Leave(below=side.units // 2 + 1),
        "at-or-below": Leave(below=at + 1),
        "after-round": Leave(rounds=at),
    }.get(policy, Leave())


def force_numbers(setup: Setup) -> dict[str, np.ndarray | Leave]:
    """Params of each side, shape (2,), and of each faction, shape (MOST_FACTIONS + 1,); all arrays are int64.

    `strength` and `fewest`: shape (3 * (MOST_FACTIONS + 1), hits + 1), three rows a faction; `first_of`: shape (3,).
    """
    sides, factions = setup.sides, setup.factions
    lists = [left for faction in factions for left in faction.left]
    strength, fewest = np.zeros((2, 3 * (MOST_FACTIONS + 1), max(map(len, lists))), np.int64)
    for place, left in enumerate(lists):
        units = left[:, :3].sum(axis=1)
        types = left[:, 2] << HEAVY | units << 2 * BITS if setup.sea else packed(*left.T)
        strength[place, : len(left)] = types + (units << UNITS) + (np.arange(len(left)) << HITS)
        fewest[place, : len(left)] = packed(0, np.searchsorted(units, units), 0)
    none, first = [0] * (MOST_FACTIONS + 1 - len(factions)), HIT_FIRST[setup.fields.policy.attacker.ties]
    stay = [faction.realm.defends_capital or faction.realm.last_area for faction in factions]
    kinds = [rules.TO_THE_LAST if held else KINDS[f.realm.kind] for f, held in zip(factions, stay, strict=True)]
    return {
        "attacker_leaves": leave_of(sides[0]),
        "defender_leaves": leave_of(sides[1]),
        "first_of": array([0, 1, len(factions)]),
        "automatic": array([side.automatic for side in sides]),
        "asks": array([s.has_player and s.fields.can_retreat and ASKS.get(s.policy.retreat, BY_POLICY) for s in sides]),
        "supply": array([side.supply for side in sides]),
        "kind": array(kinds + none),
        "tie": array([place + MOST_FACTIONS * (f.realm.kind not in first) for place, f in enumerate(factions)] + none),
        "strength": strength,
        "fewest": fewest,
    }


def pool_numbers(setup: Setup, table_set: TableSet) -> dict[str, np.ndarray]:
    """Params of dice, int64: `pool`, shape (2, rows, rounds, 2), the first table of a pool and the most icons it shows.

    `cap`, shape (2,), the cap on units by side; `opening`, shape (4,), the tables of cards and charges.
    """
    pool, cap = np.zeros((2, max(map(len, setup.pools)), setup.last, 2), np.int64), array([0, 0])
    for side, (rows, caps) in enumerate(zip(setup.pools, setup.caps, strict=True)):
        captures = setup.sea and setup.sides[side].has_player
        pool[side, : len(rows)], cap[side] = table_set.add_pools(rows, caps, pairs=not captures)
    icons = Counter(face.cavalry for face in setup.dice["cavalry"])
    cards = [table_set.add(side.drawn) if len(side.drawn) > 1 else NO_TABLE for side in setup.sides]
    # If one side charges, both do.
    charges = [table_set.add(sum_of(icons, dice)) if any(setup.charges) else NO_TABLE for dice in setup.charges]
    return {"pool": pool, "cap": cap, "opening": array(cards + charges)}


def ends_of(setup: Setup, phase: int, most_tercios: int) -> tuple[State, State]:
    """The start state of a battle and the largest value of each field."""
    forces = dict(zip(FORCES, (packed(*faction.hits) for faction in setup.factions), strict=False))
    leaders, most = {}, {name: force | GONE for name, force in forces.items()}
    for side in setup.sides:
        card = next(iter(side.drawn)) if len(side.drawn) == 1 else 0
        leaders[f"{side.where}_leader"] = STAGES * card + side.leaders[card - 1].wounds if card else 0
        most[f"{side.where}_leader"] = STAGES * len(side.leaders) + rules.DEAD if side.leaders else 0
    start = State(*[0] * len(State._fields))._replace(phase=phase, **forces, **leaders)
    captured = max(most_tercios, *(side.units for side in setup.sides)) if setup.sea else 0
    return start, start._replace(
        phase=rules.OVER,
        round=setup.last - 1,
        turns=0 if setup.sea else 255,
        hits=sum(sum(faction.hits) for faction in setup.factions[1:]),
        wounds=rules.DEAD if setup.sides[1].leaders else 0,
        captured=captured,
        captured_heavy=captured,
        rounds=MOST_ROUNDS if setup.options.count_rounds else 0,
        **most,
    )
