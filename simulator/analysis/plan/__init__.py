"""Plans: who attacks what, and who holds what (docs/rules/plan.md)."""
