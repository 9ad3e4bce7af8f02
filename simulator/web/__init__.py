"""The web page for players: `battle-odds web` (docs/web.md)."""
