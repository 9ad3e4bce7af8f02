"""The shipped example scenarios."""

from __future__ import annotations

from importlib import resources


def example_names() -> list[str]:
    """Names of the shipped examples."""
    folder = resources.files("simulator") / "examples"
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def example_text(name: str) -> str:
    """A shipped example as written. Its first line is a comment that says what it is."""
    return (resources.files("simulator") / "examples" / f"{name}.toml").read_text(encoding="utf-8")
