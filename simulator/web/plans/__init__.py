"""The page that plans a turn."""
