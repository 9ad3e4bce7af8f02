"""Everything about a siege that is known beforehand, and its die roll modifiers with reasons (section 4)."""

from __future__ import annotations

from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.losses import Pillaging, counters_by_size
from simulator.rules.europa.model import Campaign, Siege
from simulator.rules.europa.spelled import Bonus
from simulator.rules.europa.stacks import LD, TECHNOLOGIES, Opponents, artillery_value

# Countries whose besieger with an ARMY+ causes 2/3 more in an assault, and in which periods (section 4.5 step 4).
ELITE = {
    "poland": ("I", "II"),
    "russia": ("I", "II", "III"),
    "russia-reformed": ("I", "II", "III"),
    "turkey-janissary": ("I", "II", "III"),
}


class Siegecraft(Opponents[Siege | Campaign]):
    """A besieging stack before a fortress. Sizes in thirds.

    `camp` and `inside` are the counters of besieger and garrison by thirds left, `artillery` and `artillery_bonuses`
    the besieger's by its thirds; `habit` is what it does with a P, None outside Europe.
    """

    def __init__(self, fields: Siege | Campaign) -> None:
        super().__init__(fields)
        (self.besieger, self.besieged), conditions = self.stacks, fields.conditions
        own, enemy, policy = fields.attacker, fields.defender, fields.policy.attacker
        self.level = enemy.fortress_level
        # The larger of the helpers' siege value and the leader's own.
        self.own_siege = max(own.siege_value, self.besieger.leader.siege)
        self.enemy_siege = max(enemy.siege_value, self.besieged.leader.siege)
        self.camp = counters_by_size(own, policy.losses == "keep-best-army")
        self.inside = counters_by_size(enemy, keep_best=True)
        self.habit = Pillaging(own.technology, policy.pillage) if self.europe else None
        self.artillery = [
            artillery_value(own, left.army_plus, left.army_minus, conditions.period, self.book) for left in self.camp
        ]
        self.artillery_bonuses = [self.book.siege_bonus(self.level, value) for value in self.artillery]
        # Rough ground and an open port (section 4.4); overseas a place with any port counts as plain.
        rough = conditions.terrain != "plain" and (self.europe or conditions.port == "none")
        port = conditions.port in {"open", "resupplied"}
        self.terrain_malus = (0, 2, 3)[rough + port] if self.level else int(rough or port)
        reformed = own.country == "turkey-janissary" and own.turkish_reform in {"m-1a", "m-2"}
        self.elite = conditions.period in ELITE.get(own.country, ()) and not reformed

    def besieger_attrition(self, camp: int, pillages: int, bad_weather: bool) -> list[Bonus]:
        """Siege attrition of the besieger (section 4.3)."""
        conditions = self.fields.conditions
        unsupplied = not conditions.supply_line
        return [
            Bonus(2 * unsupplied, "no supply line"),
            Bonus(2 * (unsupplied and camp < LD * self.level), "no supply line and under 1 LD per level"),
            Bonus(2 * (camp >= 6 * LD), "6 LD or more"),
            Bonus(2 * bad_weather, "bad weather"),
            Bonus(pillages, "sides of PILLAGE"),
            Bonus(conditions.attrition_modifier, "attrition_modifier"),
            Bonus(-self.own_siege, "own siege value"),
            Bonus(self.enemy_siege, "besieged siege value"),
        ]

    def garrison_attrition(self, works: int) -> list[Bonus]:
        """Siege attrition of the garrison (section 4.3; campaigns only)."""
        return [
            Bonus(-self.enemy_siege, "own siege value"),
            Bonus(self.own_siege, "besieger's siege value"),
            Bonus(-3 * (self.fields.conditions.port == "open"), "open port"),
            Bonus(siege.WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_place(self, camp: int) -> list[Bonus]:
        """Undermining: the place and the besieger."""
        return [
            Bonus(-self.level, "fortress level"),
            Bonus(self.artillery_bonuses[camp], f"artillery value {self.artillery[camp]}"),
            Bonus(-self.terrain_malus, "terrain and port"),
            Bonus(-self.enemy_siege, "besieged siege value"),
            Bonus(self.own_siege, "besieger's siege value"),
        ]

    def effect_of_counters(self, works: int, breach: int, assault: int) -> list[Bonus]:
        """Undermining: counters on the fortress."""
        return [
            Bonus(assault, "ASSAULT counter"),
            Bonus(2 * breach, "BREACH counter"),
            Bonus(siege.WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_garrison(self, garrison: int) -> list[Bonus]:
        """Undermining: mouths to feed inside."""
        army = self.inside[garrison].has_army
        return [Bonus(3, "ARMY inside") if army else Bonus(int(garrison > 0), "troops inside")]

    def supply(self, garrison: int, first_round: int) -> list[Bonus]:
        """The supply check made with the undermining die."""
        return [
            Bonus(4 * first_round, "first siege round"),
            Bonus(-2 * self.fields.conditions.continued_siege, "continued siege"),
            Bonus(-self.enemy_siege, "besieged siege value"),
            Bonus(-(garrison // LD), "LD inside"),
        ]

    def assault_of_place(self, camp: int, breach: int, assault: int) -> list[Bonus]:
        """The besieger's assault rolls, its leader apart (section 4.5 step 2); `breach`: right after one."""
        behind = self.fields.defender.technology
        advanced = TECHNOLOGIES.index(behind) > TECHNOLOGIES.index("renaissance")
        return [
            Bonus(1 if behind == "medieval" else -1 if advanced else 0, f"{behind} besieged"),
            Bonus(0 if breach else -self.level, "fortress level"),
            Bonus(self.artillery_bonuses[camp], "artillery"),
            Bonus(assault, "ASSAULT counter"),
        ]
