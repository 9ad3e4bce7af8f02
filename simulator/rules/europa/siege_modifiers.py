"""Everything about a siege that is known beforehand, and its die roll modifiers with reasons (section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from simulator.rules.europa.losses import Counters, Pillaging, counters_by_size
from simulator.rules.europa.model import Campaign, Siege
from simulator.rules.europa.stacks import LD, TECHNOLOGIES, Opponents, Stack, artillery_value

# Siegeworks codes: (siegeworks-, siegeworks+).
WORKS = ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2))
WORKS_VALUE = tuple(minus + 3 * plus for minus, plus in WORKS)
# Two - become one +, and only the best two are kept (section 4.4 step 3).
AFTER_MINUS = (1, 2, 3, 4, 4)
AFTER_PLUS = (2, 3, 4, 4, 4)


# A die roll modifier and its reason; which roll it is for, the list it stands in says.
Bonus = tuple[int, str]


@dataclass(frozen=True)
class Siegecraft(Opponents[Siege | Campaign]):
    """A besieging stack before a fortress. Sizes in thirds."""

    @property
    def besieger(self) -> Stack:
        """The stack outside."""
        return self.stacks[0]

    @property
    def besieged(self) -> Stack:
        """The troops inside."""
        return self.stacks[1]

    @property
    def level(self) -> int:
        """Fortress level; 0 = fort."""
        return self.fields.defender.fortress_level

    @cached_property
    def own_siege(self) -> int:
        """The besieger's siege value: the larger of the helpers' and the leader's own."""
        return max(self.fields.attacker.siege_value, self.besieger.leader.siege)

    @cached_property
    def enemy_siege(self) -> int:
        """The besieged side's siege value."""
        return max(self.fields.defender.siege_value, self.besieged.leader.siege)

    @cached_property
    def camp(self) -> list[Counters]:
        """The besieger's counters by thirds left."""
        return counters_by_size(self.fields.attacker, self.fields.policy.attacker.losses == "keep-best-army")

    @cached_property
    def inside(self) -> list[Counters]:
        """The garrison's counters by thirds left; it always keeps its best army."""
        return counters_by_size(self.fields.defender, True)

    @property
    def habit(self) -> Pillaging | None:
        """What the besieger does with a P; None outside Europe."""
        return Pillaging(self.fields.attacker.technology, self.fields.policy.attacker.pillage) if self.europe else None

    def artillery(self, camp: int) -> int:
        """The besieger's artillery value when it is down to `camp` thirds."""
        stack, period = self.camp[camp], self.fields.conditions.period
        return artillery_value(self.fields.attacker, stack.army_plus, stack.army_minus, period, self.book)

    @cached_property
    def artillery_bonuses(self) -> list[int]:
        """The artillery bonus by the besieger's thirds."""
        return [self.book.siege_bonus(self.level, self.artillery(camp)) for camp in range(len(self.camp))]

    @property
    def terrain_malus(self) -> int:
        """Rough ground and an open port (section 4.4); overseas a place with any port counts as plain."""
        conditions = self.fields.conditions
        rough = conditions.terrain != "plain" and (self.europe or conditions.port == "none")
        port = conditions.port in {"open", "resupplied"}
        if self.level == 0:
            return int(rough or port)
        return 3 if rough and port else 2 if rough or port else 0

    @property
    def elite(self) -> bool:
        """+2/3 with an ARMY+: poland I-II, russia and unreformed turkey-janissary I-III (section 4.5 step 4)."""
        period, country = self.fields.conditions.period, self.fields.attacker.country
        if country == "poland":
            return period in {"I", "II"}
        if country == "turkey-janissary" and self.fields.attacker.turkish_reform not in {"none", "m-1b"}:
            return False
        return country in {"russia", "russia-reformed", "turkey-janissary"} and period in {"I", "II", "III"}

    # --- modifiers of rolls, in the order of the rules ---------------------------------------------------------

    def besieger_attrition(self, camp: int, pillages: int, bad_weather: bool) -> list[Bonus]:
        """Siege attrition of the besieger (section 4.3)."""
        conditions = self.fields.conditions
        unsupplied = not conditions.supply_line
        return [
            (2 * unsupplied, "no supply line"),
            (2 * (unsupplied and camp < LD * self.level), "no supply line and under 1 LD per level"),
            (2 * (camp >= 6 * LD), "6 LD or more"),
            (2 * bad_weather, "bad weather"),
            (pillages, "sides of PILLAGE"),
            (conditions.attrition_modifier, "attrition_modifier"),
            (-self.own_siege, "own siege value"),
            (self.enemy_siege, "besieged siege value"),
        ]

    def garrison_attrition(self, works: int) -> list[Bonus]:
        """Siege attrition of the garrison (section 4.3; campaigns only)."""
        return [
            (-self.enemy_siege, "own siege value"),
            (self.own_siege, "besieger's siege value"),
            (-3 * (self.fields.conditions.port == "open"), "open port"),
            (WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_place(self, camp: int) -> list[Bonus]:
        """Undermining: the place and the besieger."""
        return [
            (-self.level, "fortress level"),
            (self.artillery_bonuses[camp], f"artillery value {self.artillery(camp)}"),
            (-self.terrain_malus, "terrain and port"),
            (-self.enemy_siege, "besieged siege value"),
            (self.own_siege, "besieger's siege value"),
        ]

    def effect_of_counters(self, works: int, breach: int, assault: int) -> list[Bonus]:
        """Undermining: counters on the fortress."""
        return [
            (assault, "ASSAULT counter"),
            (2 * breach, "BREACH counter"),
            (WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_garrison(self, garrison: int) -> list[Bonus]:
        """Undermining: mouths to feed inside."""
        army = self.inside[garrison].has_army
        value = 3 if army else 1 if garrison else 0
        return [(value, "ARMY inside" if army else "troops inside")]

    def supply(self, garrison: int, first_round: int) -> list[Bonus]:
        """The supply check made with the undermining die."""
        return [
            (4 * first_round, "first siege round"),
            (-2 * self.fields.conditions.continued_siege, "continued siege"),
            (-self.enemy_siege, "besieged siege value"),
            (-(garrison // LD), "LD inside"),
        ]

    def assault_of_place(self, camp: int, breach: int, assault: int) -> list[Bonus]:
        """The besieger's assault rolls, its leader apart (section 4.5 step 2); `breach`: right after one."""
        behind = self.fields.defender.technology
        advanced = TECHNOLOGIES.index(behind) > TECHNOLOGIES.index("renaissance")
        return [
            (1 if behind == "medieval" else -1 if advanced else 0, f"{behind} besieged"),
            (0 if breach else -self.level, "fortress level"),
            (self.artillery_bonuses[camp], "artillery"),
            (assault, "ASSAULT counter"),
        ]


def total(bonuses: list[Bonus]) -> int:
    """Sum of modifiers."""
    return sum(value for value, _ in bonuses)
