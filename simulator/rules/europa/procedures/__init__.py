"""Procedures that are a table: d10, modifiers, row (docs/rules/europa_naval_and_other.md sections 4 to 13, 16, 17)."""
