"""Sieges, segment by segment or over rounds (docs/rules/europa_land_siege.md sections 4 and 5)."""
