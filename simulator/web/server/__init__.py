"""The server: it accepts requests, schedules them and hands them to worker processes."""
