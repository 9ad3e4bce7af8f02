"""Chains whose two rolls act on separate fields: solved and walked on a grid."""
