"""Running the command line: exit statuses, interrupts, complaints on one line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from simulator.cli.exit_status import BAD_INPUT, CUT_SHORT, INTERRUPTED

NO_MEMORY = "there is not enough for this answer; ask for fewer threads (--threads 1) or fewer battles"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input (one line says what), 130 interrupted."""
    # A command makes many objects and drops few: a tenth of the time of large scenarios and of compiling went into
    # looking for cycles again and again.
    gc.set_threshold(200_000, 20, 20)
    try:
        from simulator.cli import interrupts, plain_output

        plain_output.fall_back_to_ascii()
        interrupts.watch()
        status = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = interrupted()
    except BrokenPipeError:
        os._exit(1)
    except OSError as error:  # a full disk behind standard output
        refused(str(error))
        os._exit(BAD_INPUT)
    if status == INTERRUPTED:
        sys.stderr.flush()
        os._exit(status)  # without waiting for threads that still count
    # Nothing that is left is looked through for cycles once more: that was a quarter of a quick command's time.
    gc.freeze()
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit status."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return interrupted()
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except MemoryError:
        return refused(f"memory: {NO_MEMORY}")
    except RecursionError:
        return refused("scenario: nested too deeply")
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        return refused(f"threads: {NO_MEMORY}")


def _run(arguments: Sequence[str]) -> int:
    from typer.main import get_command

    from simulator.cli.commands import app
    from simulator.engine.model.limits import NoExactOdds

    try:
        status = get_command(app)(list(arguments), prog_name="battle-odds", standalone_mode=False)
    except BrokenPipeError:
        raise
    except (ValueError, NoExactOdds, OSError) as error:
        return refused(str(error))
    except Exception as error:
        if type(error).__name__ == "Abort":
            return interrupted()
        # The parser's own complaints (unknown option, missing argument) know how to tell themselves.
        if not hasattr(error, "format_message"):
            raise
        return refused(error.format_message().removeprefix("Invalid value for ").replace("'", "", 2))
    if status == INTERRUPTED:  # the parser's own word for Ctrl-C
        return interrupted()
    if status == CUT_SHORT:
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def interrupted() -> int:
    """Say that there is nothing to show."""
    print("interrupted before anything was gathered", file=sys.stderr)
    return INTERRUPTED


def refused(text: str) -> int:
    """Say on one line what was wrong."""
    from simulator.scenarios.validation import brief

    print(brief(" ".join(text.split())), file=sys.stderr)
    return BAD_INPUT
