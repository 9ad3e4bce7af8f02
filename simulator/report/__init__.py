"""Answers for people: figures, and tables for a terminal."""
