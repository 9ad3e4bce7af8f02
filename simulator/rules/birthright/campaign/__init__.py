"""Questions of the campaign without a fight (docs/rules/birthright.md sections 6 to 8)."""
