"""Naval battles (docs/rules/europa_naval_and_other.md sections 2 and 3)."""
