"""Faults that a sentence for players must not have (docs/rules/decisions.md section 12)."""

import re

# Each with what is wrong about it.
FORBIDDEN = {
    r"\b\w+_\w+\b": "the name of a column or a field",
    r"\b(attacker|defender|policy|options|conditions|rules|force|fight|join)(\.|\[)\w": "the path of a field",
    r"\bfight\d|\bcounter\b(?!-)": "the name of a fight that the program gave",
    r"thirds|half points": "a unit that no player counts in",
    r"\b[Nn]obody (wins )?(always|in 100)|\b(holds|wins|falls|takes|land|than 0) (never|always)\b": "an inversion",
    r"(?<![.\d])\b1 (?!(pds|matters)\b)[a-z]+[^s\W]s\b": "one of many",
    r"\b(?!1\b)\d+ (tank|regiment|fighter|galley|cruiser|unit|point|ship|round|detachment)\b(?! II)": "many of one",
    r"\ball 1\b|\bNone of the 1\b|\b(plu|minu)\b|\bNpr\b": "a word that is none",
    r"\bof , |, ,|\bNone\b|\bnan\b|[{}\[\]\0]|--": "an empty place, or a part of the program",
    r"^The \w+ and (is|are)\b": "two parts of a sentence in one",
    r"is already best|Hold your nerve": "a riddle",
}
LEAST_WORDS = 4


def faults(line):
    """The faults of a sentence; none for a good one."""
    found = [f"{why}: {match[0]!r} in {line!r}" for one, why in FORBIDDEN.items() if (match := re.search(one, line))]
    if not re.fullmatch(r"[A-Z0-9].*\.", line) or len(line.split()) < LEAST_WORDS:
        found.append(f"no sentence: {line!r}")
    return found
