"""Land battles (docs/rules/europa_land_siege.md section 3)."""
