"""One battle or a series of them: rounds, replays, luck."""
