"""Draw the pictures that the README shows: `python docs/pictures.py`."""

from __future__ import annotations

from pathlib import Path

from simulator import exact, sweep

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    exact("risk-20v15").plot(column="attacker_regiments_lost", path=FOLDER / "risk-losses.png")
    sizes = {"attacker.regiments": range(1, 31), "defender.regiments": range(1, 31)}
    sweep("risk-20v15", sizes).plot(path=FOLDER / "risk-heat-map.png")


if __name__ == "__main__":
    main()
