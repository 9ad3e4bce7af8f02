"""With what an NPR defends: military and naval capacity (rules/price_of_power.md section 6)."""

from __future__ import annotations

from typing import Any

TAX_VALUE = {"small": 1, "large": 2}


def doubled(province: Any) -> int:
    """Tax value, twice that of a distant province unless it has plague."""
    return TAX_VALUE[province.size] * (2 if province.distant and not province.plague else 1)


def land_part(province: Any) -> int:
    """Land units that a province gives (step 1)."""
    if province.occupied or province.used_land:
        return 0
    blocked = province.hostile_units or (province.location == "sea" and province.sea_blocked)
    if province.location != "area" and blocked:
        return 0
    return doubled(province) + province.manpower_tokens


def sea_part(province: Any) -> int:
    """Ships that a province gives (step 1)."""
    if province.occupied or province.inactive_port or province.used_sea or not province.faces_zone:
        return 0
    return doubled(province)


def land_units(capacity: Any) -> int:
    """Land units of all provinces (steps 1 to 3): an active ally's half, an Emperor's 3E - 2 x foreign areas more."""
    units = sum(land_part(province) for province in capacity.provinces)
    if capacity.active_ally:
        units = -(-units // 2)
    if capacity.imperial_authority is not None:
        units = max(0, units + 3 * capacity.imperial_authority - 2 * capacity.foreign_areas)
    return units


def ships(capacity: Any) -> int:
    """Ships of all provinces."""
    return sum(sea_part(province) for province in capacity.provinces)
