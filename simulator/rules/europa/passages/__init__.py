"""Battle kinds of several stages (docs/rules/europa_naval_and_other.md sections 14, 18 and 19)."""
