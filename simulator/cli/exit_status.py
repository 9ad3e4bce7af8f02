"""How a command ends."""

BAD_INPUT = 2
INTERRUPTED = 130
# Interrupted, and what was gathered has been shown.
CUT_SHORT = -INTERRUPTED
