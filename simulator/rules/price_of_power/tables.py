"""The chain of a land or naval battle, with all numbers known before the first roll.

Sections cited are those of docs/rules/price_of_power.md.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.price_of_power import rules, state
from simulator.rules.price_of_power.casualties import (
    BITS,
    CATEGORIES,
    GONE,
    HEAVY,
    HITS,
    TERCIOS,
    UNITS,
    force_with,
    packed,
)
from simulator.rules.price_of_power.dice import Hand, TableSet, caps_of, faces_of, most_icons, pools_of
from simulator.rules.price_of_power.forces import WITH_SIDE, Faction, Side, first_lost
from simulator.rules.price_of_power.model import AnyBattle, SeaRealm
from simulator.rules.price_of_power.state import BY_POLICY, MOST_FACTIONS, STAGES, Params, State
from simulator.rules.toolkit.retreat import Leave, outnumbered
from simulator.rules.toolkit.weights import sum_of

KINDS = {"player": state.PLAYER, "npr": state.NPR, "rebels": state.REBELS, "pirates": state.TO_THE_LAST}
ASKS = {
    "never": state.NEVER, "when-leader-wounded": state.WHEN_WOUNDED, "best": state.AT_BEST, WITH_SIDE: state.WITH_SIDE,
}  # fmt: skip
# By `ties`: the kinds of realms that are hit first among equally large defending factions.
HIT_FIRST = {"listed-order": (), "players-first": ("player",), "npr-first": ("npr", "rebels", "pirates")}
MOST_ROUNDS = (1 << 20) - 1
MOST_LEADERS = 6
FORCES = ("attacker", *(f"defender_{number}" for number in range(1, MOST_FACTIONS + 1)))
array = partial(np.array, dtype=np.int64)


class Setup:
    """A land or naval battle before its chain is built. `factions` are the attacker, then the defending ones.

    `last` is the last round in which anything depends on the round (section 3.7). Each side has a `hand` of cards,
    `pools` of dice (see `pools_of`), `caps` on icons, and the dice of its charge. `brief`: a later stage needs the
    ships and units alone, not the damage.
    """

    def __init__(self, fields: AnyBattle, brief: bool = False) -> None:
        self.fields, self.options, self.brief = fields, fields.options, brief
        self.dice = faces_of(fields.options)
        self.sides = attacker, defender = Side("attacker", fields), Side("defender", fields)
        self.sea, self.factions = attacker.sea, attacker.factions + defender.factions
        self.last = max(1, fields.conditions.max_rounds, attacker.last, defender.last)
        self.hands = [Hand(side.fields.battle_actions, self.last) for side in self.sides]
        hands = zip(self.sides, self.hands, strict=True)
        self.pools = [pools_of(side, self.dice, self.last, hand) for side, hand in hands]
        pairs = (attacker, defender), (defender, attacker)
        self.caps = [caps_of(*pair, self.dice, rows) for pair, rows in zip(pairs, self.pools, strict=True)]
        self.charges = [side.charge(enemy) for side, enemy in pairs]

    @property
    def alone(self) -> list[Faction]:
        """The factions that leave by themselves when that is best."""
        own = zip(self.factions, chain(*(side.leaving for side in self.sides)), strict=True)
        return [faction for faction, (retreat, _) in own if retreat == "best"]

    @property
    def chooses(self) -> bool:
        """Is anything decided as well as possible?"""
        for side in self.sides:
            leaving = {retreat for retreat, _ in (side.together, *side.leaving)}
            cards = {card.when for card in side.fields.battle_actions}
            if "best" in {side.policy.losses, *leaving, *cards} or side.appoints:
                return True
        return False

    def most_hits(self) -> int:
        """At least as many hits as a side can take at once."""
        charge = max(self.charges) * max(face.cavalry for face in self.dice["cavalry"])
        rolled = [
            max(sum(most_icons(self.dice, pool)[:3]) for pool in {*chain(*rows)}) + side.automatic + side.start[-1]
            for side, rows in zip(self.sides, self.pools, strict=True)
        ]
        return min(max(charge, *rolled), max(hits for faction in self.factions for hits in faction.hits))


def starts_of(setup: Setup) -> list[str]:
    """Scenario paths of the numbers that only change the start state: units of a single realm that are lost first.

    Numbers are left out where a charge, the choice of dice, `when-half` or `best` depends on them.
    """
    paths: list[str] = []
    for side in () if any(setup.charges) else setup.sides:
        policy, single = side.policy, len(side.factions) == 1 and side.has_player and not side.draws
        by_odds = getattr(policy, "base_dice", "") == "best-expected" or "best" in {policy.losses, policy.retreat}
        by_odds |= any(action.when == "best" for action in side.fields.battle_actions)
        alone = side.leaving[0][0] not in {WITH_SIDE, "never"}
        if single and policy.retreat != "when-half" and not alone and not by_odds:
            paths += [f"{side.where}.{name}" for name in first_lost(side.factions[0], policy.losses)]
    return paths


def chain_of(setup: Setup) -> Chain:
    """The chain of a battle. Raises Refusal for dice with too many different results."""
    table_set, options = TableSet(setup.dice), setup.options
    numbers: dict[str, Any] = {
        **force_numbers(setup), **leaving_numbers(setup), **way_numbers(setup), **card_numbers(setup),
        **leader_numbers(setup), **pool_numbers(setup, table_set),
    }  # fmt: skip
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
        alone=len(setup.alone),
        alternates=int(
            options.casualty_alternation == "whole-battle" or bool(numbers["asks"].any() or numbers["goes"].any())
        ),
        shown=shown,
        **numbers,
    )
    first = state.ATTACKER_APPOINTS if params.appoints.any() else rules.next_phase(params, state.ATTACKER_DRAWS)
    start, most = ends_of(setup, first, int(shown.max() >> TERCIOS))
    return Chain(params, rules.begun(params, start), most, tables, counters=("rounds",), may_be_over=True)


def leave_of(retreat: str, at: int, units: int) -> Leave:
    """The policy with which a realm of so many units leaves, except those of ASKS."""
    return {
        "when-outnumbered": outnumbered(),
        "when-half": Leave(below=units // 2 + 1),
        "at-or-below": Leave(below=at + 1),
        "after-round": Leave(rounds=at),
    }.get(retreat, Leave())


def force_numbers(setup: Setup) -> dict[str, np.ndarray]:
    """Params of each side, shape (2,), and of each faction, shape (MOST_FACTIONS + 1,); all arrays are int64.

    `strength` and `fewest`: shape (3 * (MOST_FACTIONS + 1), numbers), three rows a faction; `first_of`: shape (3,).
    """
    sides, factions = setup.sides, setup.factions
    lists = [left for faction in factions for left in faction.left]
    strength, fewest = np.zeros((2, CATEGORIES * (MOST_FACTIONS + 1), max(map(len, lists))), np.int64)
    for place, left in enumerate(lists):
        units = left[:, :3].sum(axis=1)
        types = left[:, 2] << HEAVY | units << 2 * BITS if setup.sea else packed(*left.T)
        hits = units + (left[:, 2] - left[:, 3] if setup.sea else 0)
        strength[place, : len(left)] = types + (units << UNITS) + (hits << HITS)
        # One number for each line-up: `unique` takes a fraction of its time for rows.
        _, first, same = np.unique(left[:, :3] @ (1, 1 << 20, 1 << 40), return_index=True, return_inverse=True)
        fewest[place, : len(left)] = first[same]
    none, first_hit = [0] * (MOST_FACTIONS + 1 - len(factions)), HIT_FIRST[setup.fields.policy.attacker.ties]
    stay = [faction.realm.defends_capital or faction.realm.last_area for faction in factions]
    kinds = [state.TO_THE_LAST if held else KINDS[f.realm.kind] for f, held in zip(factions, stay, strict=True)]
    ties = [place + MOST_FACTIONS * (f.realm.kind not in first_hit) for place, f in enumerate(factions)]
    return {
        "first_of": array([0, 1, len(factions)]),
        "automatic": array([side.automatic for side in sides]),
        "supply": array([side.supply for side in sides]),
        "kind": array(kinds + none),
        "tie": array(ties + none),
        "strength": strength,
        "fewest": fewest,
    }


def leaving_numbers(setup: Setup) -> dict[str, np.ndarray]:
    """Params of leaving, int64: `asks`, shape (2,), `goes`, shape (MOST_FACTIONS + 1,), and `leave`, of both."""
    goes, leave = np.zeros(MOST_FACTIONS + 1, np.int64), np.tile(array(Leave()), (MOST_FACTIONS + 3, 1))
    factions = zip(setup.factions, chain(*(side.leaving for side in setup.sides)), strict=True)
    for place, (faction, (retreat, at)) in enumerate(factions):
        goes[place] = ASKS.get(retreat, BY_POLICY)
        leave[place] = leave_of(
            retreat, at, sum(faction.realm.ships if isinstance(faction.realm, SeaRealm) else faction.hits)
        )
    for place, side in enumerate(setup.sides, MOST_FACTIONS + 1):
        leave[place] = leave_of(*side.together, side.units)
    asks = [
        ASKS.get(side.together[0], BY_POLICY) * any(w == WITH_SIDE for w, _ in side.leaving) for side in setup.sides
    ]
    return {"asks": array(asks), "goes": goes, "leave": leave, "sets": sets_of_factions()}


@lru_cache(maxsize=1)
def sets_of_factions() -> np.ndarray:
    """Params.sets, int64: by the number of factions all sets of them, nobody first, then the fewest, as listed."""
    sets = np.zeros((MOST_FACTIONS + 1, 1 << MOST_FACTIONS), np.int64)
    for number in range(MOST_FACTIONS + 1):
        every = [chosen for size in range(number + 1) for chosen in combinations(range(number), size)]
        sets[number, : len(every)] = [sum(1 << faction for faction in chosen) for chosen in every]
    return sets


def leader_numbers(setup: Setup) -> dict[str, np.ndarray]:
    """Params of the leaders that a side may appoint, int64: `appoints`, shape (2,); `candidates`, shape (2, 6)."""
    candidates = np.zeros((2, MOST_LEADERS), np.int64)
    for place, side in enumerate(setup.sides):
        for at, card in enumerate(side.cards):
            candidates[place, at] = STAGES * card + side.leaders[card - 1].wounds if card else 0
    appoints = array([len(side.cards) if side.appoints else 0 for side in setup.sides])
    return {"appoints": appoints, "candidates": candidates}


def way_numbers(setup: Setup) -> dict[str, np.ndarray | int]:
    """Params of the ways to take hits, for sides whose losses are best: `picks`, `first_way`, `ways_at`, `ways`, ..."""
    picks = [side.policy.losses == "best" for side in setup.sides]
    most = setup.most_hits() if any(picks) else 0
    first, at, ways, usual = [0] * (CATEGORIES * (MOST_FACTIONS + 1)), [0], list[int](), list[int]()
    for place, faction in enumerate(setup.factions):
        for category in range(CATEGORIES) if faction.picks else ():
            first[CATEGORIES * place + category] = len(usual)
            for found, one in faction.ways(category, most):
                ways += found
                at.append(len(ways))
                usual.append(one)
    return {
        "picks": array(picks), "most_hits": most, "first_way": array(first), "ways_at": array(at), "ways": array(ways),
        "usual": array(usual),
    }  # fmt: skip


def card_numbers(setup: Setup) -> dict[str, np.ndarray | int]:
    """Params of the cards on which a side decides: `hands`, `rows`, `first_play`, `play_at`, `plays`, `used`."""
    first, at, plays = list[int](), [0], list[int]()
    used = np.zeros((2, max(len(hand.conditions) for hand in setup.hands)), np.int64)
    for side, hand in enumerate(setup.hands):
        first.append(len(at) - 1)
        used[side, : len(hand.conditions)] = hand.used
        for condition, round_, behind in product(range(len(hand.conditions)), range(setup.last), (0, 1)):
            plays += hand.plays.get((condition, round_, behind), [condition])
            at.append(len(plays))
    rows = [len(rows) // len(hand.conditions) for rows, hand in zip(setup.pools, setup.hands, strict=True)]
    return {
        "hands": int(any(hand.cards for hand in setup.hands)), "rows": array(rows), "first_play": array(first),
        "play_at": array(at), "plays": array(plays), "used": used,
    }  # fmt: skip


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
    forces = dict(zip(FORCES, (force_with(*faction.numbers) for faction in setup.factions), strict=False))
    leaders, most = {}, {name: force | GONE for name, force in forces.items()}
    for side in setup.sides:
        card = next(iter(side.drawn)) if len(side.drawn) == 1 else 0  # one who draws or appoints has nobody yet
        leaders[f"{side.where}_leader"] = STAGES * card + side.leaders[card - 1].wounds if card else 0
        most[f"{side.where}_leader"] = STAGES * len(side.leaders) + state.DEAD if side.leaders else 0
    start = State(*[0] * len(State._fields))._replace(phase=phase, **forces, **leaders)
    captured = max(most_tercios, *(side.units for side in setup.sides)) if setup.sea else 0
    picks = any(side.policy.losses == "best" for side in setup.sides)
    attacking, defending = (sum(hits for faction in side.factions for hits in faction.hits) for side in setup.sides)
    return start, start._replace(
        phase=state.OVER,
        round=setup.last - 1,
        turns=0 if setup.sea else (1 << 2 * (MOST_FACTIONS + 1)) - 1,
        hits=defending,
        wounds=state.DEAD if setup.sides[1].leaders else 0,
        captured=captured,
        captured_heavy=captured,
        rounds=MOST_ROUNDS if setup.options.count_rounds else 0,
        attacker_cards=len(setup.hands[0].conditions) - 1,
        defender_cards=len(setup.hands[1].conditions) - 1,
        back=attacking if picks else 0,
        hurt=state.DEAD if picks and setup.sides[0].leaders else 0,
        charge=int(picks and any(setup.charges)),
        leaving=(1 << MOST_FACTIONS + 1) - 1 if picks else 0,
        **most,
    )
