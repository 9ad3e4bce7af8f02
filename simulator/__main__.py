"""`python -m simulator` is the `battle-odds` command."""

import sys

if __name__ == "__main__":
    try:
        from simulator.cli import main

        main()
    except KeyboardInterrupt:
        print("interrupted before anything was gathered", file=sys.stderr)
        sys.exit(130)
