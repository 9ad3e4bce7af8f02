"""The rules of every battle of a game file."""
