"""The dice of a battle of a game file: their faces, the units that roll them, the chances of the hits of a group."""
