"""What is known of wind and leaders in a naval battle (docs/rules/europa_naval_and_other.md section 3, steps 2-4).

Manoeuvre matters to the wind, breaking off, retreat attrition and the pursuit only. So of leaders who are drawn
it stays undrawn until it is asked for, and whoever is never asked has it mixed into the chances of the pursuit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from simulator.rules.europa.sea.squadrons import Engagement, Values
from simulator.rules.europa.shared.leaders import advantage

Pairs = Counter[tuple[Values, Values]]


class Group(NamedTuple):
    """What is known of wind and leaders: who has the wind, advantages by side, fragility, needed manoeuvres."""

    wind: int
    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: tuple[bool, bool]
    men: tuple[int | None, int | None] = (None, None)


@dataclass
class Groups:
    """The groups of an engagement; `asks`: whose manoeuvre is asked for beside the pursuit."""

    engagement: Engagement
    asks: tuple[bool, bool]

    @cached_property
    def drawn(self) -> dict[Group, Pairs]:
        """The groups drawn before the battle, with the pairs of leaders behind them."""
        cap, found = self.engagement.options.leader_differential_cap, dict[Group, Pairs]()
        squadrons = self.engagement.squadrons
        for own, own_weight in squadrons[0].values().items():
            for enemy, enemy_weight in squadrons[1].values().items():
                fire = advantage(own[1], enemy[1], cap), advantage(enemy[1], own[1], cap)
                shock = advantage(own[2], enemy[2], cap), advantage(enemy[2], own[2], cap)
                for wind, weight in self.engagement.winds(own, enemy).items():
                    group = Group(wind, fire, shock, (own[3], enemy[3]))
                    found.setdefault(group, Counter())[own, enemy] += own_weight * enemy_weight * weight
        return found

    @cached_property
    def all(self) -> dict[Group, Pairs]:
        """All groups: those drawn, then those that know a manoeuvre beside."""
        found = dict(self.drawn)
        for group, pairs in self.drawn.items():
            for pair, weight in pairs.items():
                child = self._knowing(group, pair)
                if child != group:
                    found.setdefault(child, Counter())[pair] += weight
        return found

    def _knowing(self, group: Group, pair: tuple[Values, Values]) -> Group:
        a, d = (values[0] if asked else None for values, asked in zip(pair, self.asks, strict=True))
        return group._replace(men=(a, d))

    def children(self, group: Group) -> Counter[Group]:
        """The groups that a draw of the needed manoeuvres leads to; the group itself if there is nothing to know."""
        found: Counter[Group] = Counter()
        for pair, weight in self.all[group].items():
            found[self._knowing(group, pair)] += weight
        return found

    @cached_property
    def order(self) -> dict[Group, int]:
        """Place of each group."""
        return {group: place for place, group in enumerate(self.all)}

    @cached_property
    def placed(self) -> list[Group]:
        """All groups by place."""
        return list(self.all)

    def begins(self) -> Counter[int]:
        """The groups a battle begins with; one that leaves no choice of manoeuvres begins with them known."""
        found: Counter[int] = Counter()
        for group, pairs in self.drawn.items():
            children = self.children(group)
            known = next(iter(children)) if len(children) == 1 else group
            found[self.order[known]] += pairs.total()
        return found

    def draw(self, group: Group) -> Counter[int]:
        """Places of the groups that know the needed manoeuvres."""
        return Counter({self.order[child]: weight for child, weight in self.children(group).items()})
