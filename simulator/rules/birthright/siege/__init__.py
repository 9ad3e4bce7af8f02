"""A siege season by season (docs/rules/birthright.md section 5)."""
