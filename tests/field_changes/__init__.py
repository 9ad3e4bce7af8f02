"""Battles in which another value of a field changes the answer, by kind (tests/test_idle_fields.py)."""

from tests.field_changes.europa_land import EUROPA_LAND
from tests.field_changes.europa_sea import EUROPA_SEA
from tests.field_changes.others import OTHERS

CHANGES = EUROPA_LAND | EUROPA_SEA | OTHERS
