"""Quick battles (docs/rules/birthright.md)."""
