"""Game files: their format, their paths, their mistakes, and their meaning in words."""
