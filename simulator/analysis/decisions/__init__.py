"""What to decide: best play, what a battle is worth, how much is enough."""
