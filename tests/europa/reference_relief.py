"""A slow, obvious siege with a relief army over the slow campaign and the slow land battle.

Written from docs/rules/europa_land_siege.md section 5.7 alone; fixed rounds and the answers meet, lift and evade.
"""

from collections import defaultdict
from functools import lru_cache

from tests.europa import reference_land
from tests.europa.reference_campaign import Turn, count
from tests.europa.reference_siege import take, thirds, troops

PIECES = ("army_plus", "army_minus", "land_detachments", "exploration_detachments")
NOT_IN_BATTLE = {"round", "chance", "sortie", "enter", "crossing"}


def with_pieces(side, pieces):
    return {k: v for k, v in side.items() if k not in NOT_IN_BATTLE | {"siege_value"}} | dict(
        zip(PIECES, pieces, strict=True)
    )


class Relief:
    """The relief army of a scenario, and what may become of it; `log` is what is known of it so far."""

    def __init__(self, scenario):
        self.scenario, self.army = scenario, scenario["defender"]["relief"]
        self.policy = [scenario.get("policy", {}).get(side, {}) for side in ("attacker", "defender")]
        self.answer = self.policy[0].get("relief", "meet")
        replaced = scenario["attacker"] | {"leader": "replacement"}
        self.turns = [Turn(scenario), Turn(scenario | {"attacker": replaced})]
        self.place = self.turns[0].place
        self.full, self.room = thirds(troops(self.army)), 3 * max(1, self.place.level)
        self.battle = lru_cache(None)(self.battle)

    def battle(self, stack, inside):
        """{columns of the land battle: p}."""
        own = troops(self.army)
        if self.army.get("sortie"):
            own = tuple(a + b for a, b in zip(own, inside, strict=True))
        conditions = self.scenario.get("conditions", {})
        besieger = {"break_off": self.policy[0].get("break_off", "never")}
        return reference_land.battle(
            {
                "attacker": with_pieces(self.army, own),
                "defender": with_pieces(self.scenario["attacker"], stack),
                "conditions": {k: v for k, v in conditions.items() if k in ("region", "terrain", "period")}
                | {"crossing": self.army.get("crossing", "none")},
                "policy": {
                    "attacker": {"break_off": self.policy[1].get("break_off", "never")},
                    "defender": besieger | ({"evasion": "evade"} if self.answer == "evade" else {}),
                },
                "options": self.scenario.get("options", {}),
            }
        )

    def met(self, state):
        """{(state, log, is the leader lost?, how): p} after the answer to the relief army."""
        came = frozenset({("came", True)})
        if self.answer == "lift":
            return {(state, came, 0, "lifted"): 1.0}
        out = defaultdict(float)
        for row, p in self.battle(*state[:2]).items():
            end = dict(row)
            if end["evaded"]:
                out[state, came, 0, "lifted"] += p
            else:
                out[self.fought(state, end, came)] += p
        return out

    def fought(self, state, end, came):
        stack, inside = state[:2]
        off = end["attacker_losses_thirds"]
        left, within = max(0, self.full - off), take(inside, max(0, off - self.full))
        after = take(stack, end["defender_losses_thirds"], self.place.best)
        won = end["winner"] == "attacker"
        if end["winner"] == "nobody" and self.army.get("enter", True) and thirds(after):
            more = max(0, min(left // 3, (self.room - thirds(within)) // 3))
            within, left = (*within[:2], within[2] + more, within[3]), left - 3 * more
        log = came | {("fought", True), ("left", left)} | ({("won", True)} if won else set())
        given = isinstance(self.scenario["attacker"].get("leader"), dict)
        gone = given and any(end[f"defender_leader_{fate}"] for fate in ("killed", "wounded", "captured"))
        return (after, within, *state[2:]), log, int(gone), "lifted" if won or not thirds(after) else ""

    def row(self, turn, state, how, rounds, gone, log):
        """The columns of an end; counters lie there still if the besieger is gone and was not beaten."""
        lifted, log = how == "lifted", dict(log)
        if lifted and (log.get("won") or thirds(state[0])):
            state = (*state[:2], (0, 0), 0, 0, *state[5:])
        found = dict(count(turn.place, state, "" if lifted else how, rounds, gone))
        found |= {"winner": "defender", "can_continue": False} if lifted else {}
        found |= {
            "relief_came": "came" in log, "relief_battle": "fought" in log, "relief_won": "won" in log,
            "lifted": lifted, "relief_left_thirds": log.get("left", self.full),
        }  # fmt: skip
        return tuple(sorted(found.items()))

    def arrivals(self, now, rounds):
        """{(key, log, turn, how): p} before the siege segment of a round."""
        out = defaultdict(float)
        for (key, log, which), p in now.items():
            comes = self.army.get("chance", 0.0) if "chance" in self.army else float(self.army["round"] == rounds)
            comes = 0.0 if log else comes
            out[key, log, which, ""] += p * (1 - comes)
            for (state, after, lost, how), q in self.met(key[0]).items() if comes else ():
                out[(state, *key[1:]), after, lost, how] += p * comes * q
        return out


def relieved(scenario):
    """{outcome as sorted tuple of items: p}."""
    relief, out, rounds = Relief(scenario), defaultdict(float), 0
    now = {(key, frozenset(), 0): p for key, p in relief.turns[0].start().items()}
    while now:
        rounds += 1
        following = defaultdict(float)
        for (key, log, which, how), p in relief.arrivals(now, rounds).items():
            turn = relief.turns[which]
            if how:
                out[relief.row(turn, key[0], how, rounds - 1, key[3], log)] += p
                continue
            for (new, ended, *_), q in turn.fixed(key[0]).items() if p else ():
                if turn.ends(new, ended, rounds):
                    out[relief.row(turn, new, ended, rounds, key[3], log)] += p * q
                    continue
                for (state, box, none, gone, end), r in turn.after(new, *key[1:3]).items():
                    if end:
                        out[relief.row(turn, state, end, rounds, key[3] + gone, log)] += p * q * r
                    else:
                        following[(state, box, none, key[3] + gone), log, which] += p * q * r
        now = following
    return out
