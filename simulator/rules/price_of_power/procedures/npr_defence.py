"""The military and naval capacity with which an NPR defends (docs/rules/price_of_power.md section 6)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simulator.rules.battle import NOBODY, Built, Fields, Frame, certain
from simulator.rules.toolkit.policies import refuse

TAX_VALUE = {"small": 1, "large": 2}
LEAST_FOR_A_CARD = 3
DRAWN = "a leader is drawn from all 36 military cards, shuffled (ASSUMED)"


class Province(Fields):
    """A province that helps an NPR to defend (section 6)."""

    page = "name, size, location"
    name: str = Field("", description="name of the province")
    size: Literal["small", "large"] = Field("small", description="small: tax value 1, large: 2")
    location: Literal["area", "land", "sea"] = Field(
        "area", description="in the attacked area, adjacent by land, or its port faces a sea zone the area also faces"
    )
    port: bool = Field(False, description="has a port")
    faces_zone: bool = Field(False, description="its port faces the attacked sea zone")
    occupied: bool = Field(False, description="occupied by an enemy: gives nothing")
    hostile_units: bool = Field(False, description="hostile units were in its area before this turn")
    sea_blocked: bool = Field(False, description="all sea zones between are hostile")
    distant: bool = Field(False, description="a distant province: its value doubles")
    plague: bool = Field(False, description="plague: a distant province's value does not double")
    inactive_port: bool = Field(False, description="its port is inactive")
    manpower_tokens: int = Field(0, ge=0, le=5, description="extra-manpower tokens")
    used_land: bool = Field(False, description="its land capacity was used this turn")
    used_sea: bool = Field(False, description="its naval capacity was used this turn")

    @property
    def value(self) -> int:
        """Tax value, twice that of a distant province unless it has plague."""
        return TAX_VALUE[self.size] * (2 if self.distant and not self.plague else 1)

    @property
    def land_units(self) -> int:
        """Land units given by the province (step 1)."""
        blocked = self.hostile_units or (self.location == "sea" and self.sea_blocked)
        if self.occupied or self.used_land or (self.location != "area" and blocked):
            return 0
        return self.value + self.manpower_tokens

    @property
    def ships(self) -> int:
        """Ships given by the province (step 1)."""
        return 0 if self.occupied or self.inactive_port or self.used_sea or not self.faces_zone else self.value


class Npr(Fields):
    """The NPR, or all NPRs that defend together, with their vassals."""

    provinces: list[Province] = Field(min_length=1, max_length=24, description="own and neighbouring provinces")
    active_ally: bool = Field(False, description="an active ally of a player: half its land units defend")


class Empire(Fields):
    """The Emperor's part."""

    imperial_authority: int | None = Field(
        None, ge=-5, le=15, description="imperial authority, when the Emperor is an NPR and the area is in the Empire"
    )
    foreign_areas: int = Field(0, ge=0, le=60, description="foreign areas in the Empire")


class Capacity(Npr, Empire):
    """The capacity of an NPR by its provinces; a land or naval battle takes it in place of the defender's units.

    So the answer of npr-defence need not be copied by hand, and a sweep can vary a province or imperial authority.
    """

    @property
    def land_units(self) -> int:
        """Steps 1 to 3: of all provinces; an active ally's half, rounded up; an Emperor's 3E - 2 x foreign areas."""
        units = sum(province.land_units for province in self.provinces)
        if self.active_ally:
            units = -(-units // 2)
        if self.imperial_authority is not None:
            units = max(0, units + 3 * self.imperial_authority - 2 * self.foreign_areas)
        return units

    @property
    def ships(self) -> int:
        """Ships of all provinces; an active ally's are not halved."""
        return sum(province.ships for province in self.provinces)


class NprDefence(Frame):
    """The units with which a non-player realm defends (no dice)."""

    game: Literal["price-of-power"]
    battle: Literal["npr-defence"]
    defender: Npr = Field(description="the NPR's provinces")
    conditions: Empire = Field(Empire(), description="the Emperor's part")


def check(fields: NprDefence) -> None:
    """Refuse an NPR that the rules do not allow. Raises Refusal."""
    check_capacity("defender", fields.defender, "conditions", fields.conditions)


def check_capacity(path: str, npr: Npr, there: str, empire: Empire) -> None:
    """Refuse sea zones without ports, and foreign areas without an Emperor (at path `there`)."""
    for place, province in enumerate(npr.provinces):
        here, port = f"{path}.provinces[{place}]", province.port
        refuse(not port and province.faces_zone, f"{here}.faces_zone", "needs port = true")
        wrong = not port and province.location == "sea"
        refuse(wrong, f"{here}.location", "'sea' needs port = true; one of area, land without")
    why = "needs imperial_authority; they count only when the Emperor is an NPR"
    refuse(empire.foreign_areas and empire.imperial_authority is None, f"{there}.foreign_areas", why)


def build(fields: NprDefence) -> Built:
    """The row of an NPR's defence, and a line for each province."""
    npr = Capacity.model_construct(**dict(fields.defender), **dict(fields.conditions))
    by_land, by_sea = (units >= LEAST_FOR_A_CARD for units in (npr.land_units, npr.ships))
    lines = [
        f"{province.name or f'province {place}'}: {province.land_units} land units, {province.ships} ships"
        for place, province in enumerate(npr.provinces, 1)
    ]
    if npr.active_ally:
        lines.append("an active ally defends with half its land units, rounded up")
    if npr.imperial_authority is not None:
        more = f"3 x {npr.imperial_authority} - 2 x {npr.foreign_areas} land units more"
        lines.append(f"the Emperor: {more}, at least 0 in all")
    lines.append(f"in all {npr.land_units} infantry and {npr.ships} light ships")
    row = {"land_units": npr.land_units, "ships": npr.ships, "leader_drawn_land": by_land, "leader_drawn_sea": by_sea}
    return Built(
        answer=lambda run: certain(winner=NOBODY, **row),
        assumptions=lambda: [DRAWN] if by_land or by_sea else [],
        explain=lambda: lines,
    )
