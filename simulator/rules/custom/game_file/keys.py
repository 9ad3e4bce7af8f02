"""The sorts of keys of a game file: names, numbers, and the formats that have them (docs/rules/custom_games.md 2.1)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

UNDERSCORED = r"^[a-z][a-z0-9_]*$"
HYPHENED = r"^[a-z][a-z0-9_-]*$"
LONGEST_NAME = 40

Side = Literal["attacker", "defender"]
A_NAME = f"a name (small letters, digits, _ and -, a letter first, at most {LONGEST_NAME})"
Name = Annotated[str, Field(pattern=HYPHENED, max_length=LONGEST_NAME, json_schema_extra={"takes": A_NAME})]
Selector = list[str]
Added = Annotated[int, Field(ge=-20, le=20)]
Bonus = Annotated[int, Field(ge=-1000, le=1000)]
Round = Annotated[int, Field(ge=1, le=100)]
Face = Annotated[int, Field(ge=1)]
Reroll = Literal["none", "misses"] | Annotated[list[Face], Field(min_length=1)]
Order = Literal["cheapest", "weakest"]
TwoNumbers = Annotated[list[int], Field(min_length=2, max_length=2)]
Cost = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
# Pairs of opposed dice, and dice of a side among them.
MOST_PAIRS = 10
UpTo10 = Annotated[int, Field(ge=1, le=MOST_PAIRS)]
UpTo1000 = Annotated[int, Field(ge=1, le=1000)]
UpTo1001 = Annotated[int, Field(ge=0, le=1001)]
UpTo20 = Annotated[int, Field(ge=0, le=20)]
From1To20 = Annotated[int, Field(ge=1, le=20)]
Initiative = Annotated[int, Field(ge=0, le=100)]
Chooser = Literal["owner", "enemy"]


def _from_format(needed: int) -> tuple[BeforeValidator, Any]:
    """Refuse a key in a file of a lower format as an unknown one; the validation's context is the file's format."""

    def checked(value: Any, info: ValidationInfo) -> Any:
        if isinstance(info.context, int) and info.context < needed:
            raise PydanticCustomError("extra_forbidden", f"needs format = {needed}")  # type: ignore[arg-type]
        return value

    return BeforeValidator(checked), Field(json_schema_extra={"needs_format": needed})


T = TypeVar("T")
_CHECKED_2, NEEDS_2 = _from_format(2)
_CHECKED_3, NEEDS_3 = _from_format(3)
# A key that formats 2 and 3 have, and one that only format 3 has.
New = Annotated[T, _CHECKED_2, NEEDS_2]
New3 = Annotated[T, _CHECKED_3, NEEDS_3]
