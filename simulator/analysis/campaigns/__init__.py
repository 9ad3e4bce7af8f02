"""Several battles one after the other."""
