"""Best play in battles of a game file: when to leave, which units to lose."""
