"""The page on which a game file is written: its text, and what follows from it."""
