"""The forms of battle kinds and campaigns, from their schemas alone (docs/web.md)."""
