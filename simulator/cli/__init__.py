"""The `battle-odds` command. Each command loads, computes, shows; what is longer lives in modules that tests call."""

from __future__ import annotations

import sys
from collections.abc import Sequence

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input (one line says what), 130 interrupted."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit status."""
    from typer.main import get_command

    from simulator.cli.commands import app
    from simulator.engine.limits import NoExactOdds

    try:
        status = get_command(app)(list(arguments), prog_name="battle-odds", standalone_mode=False)
    except KeyboardInterrupt:
        print("interrupted before anything was gathered", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (ValueError, NoExactOdds, OSError) as error:
        return refused(str(error))
    except Exception as error:
        # The parser's own complaints (unknown option, missing argument) know how to tell themselves.
        if not hasattr(error, "format_message"):
            raise
        return refused(error.format_message())
    return status if isinstance(status, int) else 0


def refused(text: str) -> int:
    """Say on one line what was wrong."""
    print(" ".join(text.split()), file=sys.stderr)
    return BAD_INPUT
