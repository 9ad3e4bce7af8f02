"""Tables of answers for a terminal, for 80 columns and more."""
