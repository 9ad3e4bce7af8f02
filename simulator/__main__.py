"""`python -m simulator` is the `battle-odds` command."""

from simulator.cli import main

if __name__ == "__main__":
    main()
