"""Procedures that are a table: a d10, modifiers, a row (docs/rules/europa_naval_and_other.md sections 4 to 13)."""
