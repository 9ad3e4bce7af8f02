"""Line-ups too large for tables of places: a state holds the hits that each block of units has taken."""
