"""Battle kinds of several stages (docs/rules/europa_naval_and_other.md section 14)."""
