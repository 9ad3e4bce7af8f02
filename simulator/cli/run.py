"""Running the command line: exit statuses, Ctrl-C, complaints on one line, output in ASCII where it has to be."""

from __future__ import annotations

import codecs
import gc
import os
import signal
import socket
import sys
import threading
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType
from typing import NoReturn

BAD_INPUT = 2
INTERRUPTED = 130
NOTHING_GATHERED = "interrupted before anything was gathered"
NO_MEMORY = "there is not enough for this answer; ask for fewer threads (--threads 1) or fewer battles"
PATIENCE = 0.45
_heard = threading.Event()

NAME = "battle-odds-plain"
# Halves of a bar and more are drawn as a whole one. Frames of tables are ASCII by themselves (rich).
SIGNS = {
    **dict.fromkeys("█▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", "."),
    **dict.fromkeys("─━−–—", "-"),
    "±": "+-",
    "×": "x",
    "…": "...",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input (one line says what), 130 interrupted."""
    # A command makes many objects and drops few: repeated searches for cycles took a tenth of the time of large
    # scenarios, and of compiling.
    gc.set_threshold(1_000_000, 20, 20)
    # Threads of OpenBLAS that wait for each other took up to 50 times the CPU time of one on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        fall_back_to_ascii()
        watch_interrupts()
        status = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = interrupted()
    except BrokenPipeError:  # the reader of the output has closed it
        os._exit(0)
    except OSError as error:  # a full disk behind standard output
        refused(str(error))
        os._exit(BAD_INPUT)
    finally:
        with suppress(ValueError):  # outside the main thread nothing is watched
            signal.set_wakeup_fd(-1)  # a caller that goes on handles Ctrl-C itself
    if status == INTERRUPTED:
        sys.stderr.flush()
        os._exit(status)  # without waiting for threads that still count
    # Skip the last search for cycles, which took a quarter of the time of a quick command.
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
        return 0
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

    from simulator.cli.commands import COMMANDS, OLD, app_of
    from simulator.cli.output import CUT_SHORT
    from simulator.engine.model.limits import NoExactOdds

    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if arguments[:1] and arguments[0] in OLD:
        return refused(f"{arguments[0]}: {OLD[arguments[0]]}")
    try:
        # Build only the command that the line begins with.
        app = app_of(*[name for name in arguments[:1] if name in COMMANDS])
        status = get_command(app)(list(arguments) or ["--help"], prog_name="battle-odds", standalone_mode=False)
    except BrokenPipeError:
        raise
    except SystemExit:  # the parser exits so when the output is closed
        raise BrokenPipeError from None
    except (ValueError, NoExactOdds, OSError) as error:
        return refused(str(error), *map(str, getattr(error, "others", ())))
    except Exception as error:
        if type(error).__name__ == "Abort":
            return interrupted()
        # The parser prints its own complaints (unknown option, missing argument).
        if not hasattr(error, "format_message"):
            raise
        option = getattr(error, "option_name", "")
        if option in OLD:
            return refused(f"{option}: {OLD[option]}")
        text = error.format_message()
        return refused(text.removeprefix("Invalid value for ").replace("'", "", 2) + _hint(text, arguments))
    if status == INTERRUPTED:  # the parser's own status for Ctrl-C
        return interrupted()
    if status == CUT_SHORT:
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _hint(text: str, arguments: Sequence[str]) -> str:
    """After a complaint of the parser, the way to write it; "" where that is plain."""
    from simulator.scenarios.reading import LIKE

    if text.startswith("Got unexpected extra"):
        return f"; {'each PATH=VALUE needs its own --set' if '=' in text else 'texts with spaces need quotes'}"
    if text.startswith("Missing argument 'SCENARIO"):
        return " Give a file, or an example that `battle-odds examples` lists."
    if option := next((one for one in LIKE if text == f"Missing option '{one}'."), ""):
        return f" Write it like {option} {LIKE[option]}."
    if text.startswith("No such command") and arguments[:1] == ["games"]:
        return f" `battle-odds games show {arguments[1]}` prints a game file."
    return ""


def interrupted() -> int:
    """Say that there is nothing to show."""
    print(NOTHING_GATHERED, file=sys.stderr)
    return INTERRUPTED


def refused(*texts: str) -> int:
    """Say what was wrong, each mistake on one line."""
    from simulator.scenarios.validation import brief

    for text in texts:
        print(brief(" ".join(text.split())), file=sys.stderr)
    return BAD_INPUT


def watch_interrupts() -> None:
    """End the process within half a second of Ctrl-C, even while the compiler keeps the main thread busy.

    Python runs its handler in the main thread between two steps, and a step of the compiler may be long. So a second
    thread watches for the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    try:
        ours, kernels = socket.socketpair()
        kernels.setblocking(False)
        signal.signal(signal.SIGINT, _interrupt)
        signal.set_wakeup_fd(kernels.fileno(), warn_on_full_buffer=False)
    except (OSError, ValueError):
        return
    # Both ends live as long as the thread.
    threading.Thread(target=_wait, args=(ours, kernels), daemon=True).start()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    _heard.set()
    raise KeyboardInterrupt


def _wait(ours: socket.socket, kernels: socket.socket) -> None:
    while True:
        # A server puts its own handler in place, and takes its time to end.
        if signal.SIGINT in ours.recv(16) and signal.getsignal(signal.SIGINT) is _interrupt:
            if not _heard.wait(PATIENCE):
                print(NOTHING_GATHERED, file=sys.stderr, flush=True)
                os._exit(INTERRUPTED)
            _heard.clear()


def fall_back_to_ascii() -> None:
    """Have standard output and error write in ASCII whatever their encoding lacks; output to a closed one is lost."""
    codecs.register_error(NAME, _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=NAME)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that cannot be encoded by an ASCII sign, the letter without accents, or "?"."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    bare = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return SIGNS.get(character) or bare or "?"
