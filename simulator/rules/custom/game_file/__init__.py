"""Game files: their format, where they lie, what is wrong with them, and what they mean in words."""
