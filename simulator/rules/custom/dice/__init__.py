"""The dice of a battle of a game file: their faces, who rolls which, and the chances of the hits of a group."""
