"""The common part of all battle kinds of Europa: leaders, stacks, fleets, losses, modifiers, procedures."""
