"""A battle unit against unit: field battle and storm (docs/rules/birthright.md section 3)."""
