"""The quick check and the quick battle, house rules (docs/rules/birthright.md section 4)."""
