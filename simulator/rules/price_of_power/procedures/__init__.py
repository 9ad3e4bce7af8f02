"""Sieges, crossings, the defence of an NPR, and campaigns (docs/rules/price_of_power.md sections 5 to 8)."""
