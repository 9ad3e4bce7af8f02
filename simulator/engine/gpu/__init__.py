"""Battles on a graphics card."""
