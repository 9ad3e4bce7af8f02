"""Battles on the field, unit against unit (docs/rules/birthright.md)."""
