"""What all battle kinds of Europa share: leaders, stacks, fleets, losses, modifiers, the form of a procedure."""
