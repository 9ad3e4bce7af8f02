"""A game file in rows: units with the chances of their dice, battle kinds, steps; and the line where a key stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.custom.dice.die import chance_at
from simulator.rules.custom.game_file.files import is_path, names, parse, read_content, read_game, shipped_text
from simulator.rules.custom.game_file.format import AnyRoll, AtMost, Die, GameFile, Roll, Step, Unit, UnitValues
from simulator.rules.custom.game_file.units import (
    MAIN_ROLLS,
    Rolled,
    die_named,
    has_symbols,
    pieces_by_name,
    rolled,
    whole_of,
)
from simulator.rules.custom.game_file.words import fighters, part_of, presence, rounds, written
from simulator.rules.toolkit.naming import listed, plural

_HEADER = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"^\s*([\w.\-\"' ]+?)\s*=")


def check_file(source: str) -> GameFile:
    """The game in a file (or a shipped one by name). Raises Refusal, its field named with file and line, or Misfit."""
    text = _text_of(source)
    try:
        return read_game(parse(text.encode(), source), "")
    except Refusal as refusal:
        if refusal.field == "game":
            raise
        found = [_at_line(source, one) for one in (refusal, *refusal.others)]
        found[0].others = found[1:]
        raise found[0] from None


def _at_line(source: str, refusal: Refusal) -> Refusal:
    field, _, text = with_line(source, str(refusal)).partition(": ")
    return Refusal(field, text)


def _text_of(source: str) -> str:
    if not is_path(source) and source in names():
        return shipped_text(source)
    content = read_content(source, source)
    parse(content, source)
    return content.decode("utf-8")


def with_line(source: str, complaint: str) -> str:
    """A complaint about a key of a file, with the file and the line of that key in front."""
    number = line_of(_text_of(source), complaint.partition(": ")[0])
    return f"game: {source}{f', line {number}' if number else ''}: {complaint}"


def line_of(text: str, field: str) -> int | None:
    """The line of a game file in which a key like `step[1].fire` stands, or the table that should hold it."""
    wanted = [part for part in re.split(r"[.\[\]]+", field) if part]
    best, found = 0, None
    for number, path in _paths(text):
        same = 0
        for a, b in zip(path, wanted, strict=False):
            if a != b:
                break
            same += 1
        if same == len(path) and same > best:
            best, found = same, number
    return found


def _paths(text: str) -> Iterator[tuple[int, list[str]]]:
    """The path of every header and key that begins a line."""
    here: list[str] = []
    count: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            here = _parts(header[2])
            if header[1] == "[[":
                count[header[2]] = count.get(header[2], -1) + 1
                here.append(str(count[header[2]]))
            yield number, here
        elif key := _KEY.match(line):
            yield number, here + _parts(key[1])


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def roll_text(file: GameFile, given: AnyRoll) -> str:
    """A roll with the chance of a hit: "2 dice at 6 or more, 1/2 each"."""
    roll = rolled(given)
    many = f"{roll.dice} dice " if roll.dice > 1 else ""
    again = f", reroll {_list(given.reroll)}" if isinstance(given, Roll) and given.reroll != "none" else ""
    die = "" if roll.die is None else f" on {roll.die}"
    damage = "" if roll.damage == 1 else f", damage {roll.damage}{' split' * roll.split}"
    if roll.compared:
        return f"{many}compared{die}, {roll.value:+d}"
    at = value_in_words(file, roll)
    share = Fraction(chance_at(file, roll), whole_of(file))
    return f"{many}{at}{die}{damage}{again} ({share}{' each' if many else ''})".strip()


def unit_note(unit: Unit) -> str:
    """A unit on one line: values that it hits on, extra hits, cost."""
    parts = []
    for name, roll in (("fights at", unit.combat), ("attack", unit.attack), ("defence", unit.defence)):
        if roll:
            whole = rolled(roll)
            parts.append(f"{name} {whole.value}" + (f" with {whole.dice} dice" if whole.dice > 1 else ""))
    parts += [f"takes {unit.hits} hits"] * (unit.hits > 1) + [f"cost {unit.cost:g}"] * (unit.cost > 0)
    return " · ".join(parts or list(unit.rolls))


def in_brief(file: GameFile, key: str, side: str) -> str:
    """A unit on one line for one side: "cost 3, 7+, volley 9+, 2 hits"; "2-" hits with 2 or less."""
    piece = pieces_by_name(file, side)[key]
    parts = [f"cost {piece.cost:g}"] if piece.cost else []
    enemy_rolls = set(MAIN_ROLLS.values()) - {MAIN_ROLLS[side]}
    for name, given in piece.rolls.items():
        if given and name not in enemy_rolls:
            called = "" if name == MAIN_ROLLS[side] else f"{name.replace('_', ' ')} "
            parts.append(called + value_text(file, rolled(given)))
    return ", ".join(parts + [f"{piece.hits} hits"] * (piece.hits > 1))


def value_text(file: GameFile, roll: Rolled) -> str:
    """The value of a roll: "7+" or more, "2-" or less, +2 beside another side's dice."""
    many = f"{roll.dice} dice " if roll.dice > 1 else ""
    die = "" if roll.die is None else f" on {roll.die}"
    if roll.compared:
        return f"{many}{roll.value:+d}{die}"
    return f"{many}{short_value(file, roll) or 'rolled'}{die}"


def short_value(file: GameFile, roll: Rolled) -> str:
    """The value that a roll hits at: "7+" or more, "2-" or less; "" for symbols."""
    sign = "-" if file.dice.hit == "at-most" else "+"
    return "" if has_symbols(die_named(file, roll.die)) else f"{roll.value}{sign}"


def value_in_words(file: GameFile, roll: Rolled) -> str:
    """The value that a roll hits at: "at 7 or more"; "" for symbols."""
    word = "or less" if file.dice.hit == "at-most" else "or more"
    return "" if has_symbols(die_named(file, roll.die)) else f"at {roll.value} {word}"


def force(file: GameFile, given: object, side: str) -> list[str]:
    """The units of a side of a scenario, their cost, and the hits that they expect in a round without modifiers."""
    counts = {key: given.get(key, 0) for key in file.unit} if isinstance(given, Mapping) else {}
    counts = {key: count for key, count in counts.items() if isinstance(count, int) and count > 0}
    cost, hits, pieces = 0.0, 0.0, pieces_by_name(file, side)
    for key, count in counts.items():
        cost += count * pieces[key].cost
        if (roll := pieces[key].rolls.get(MAIN_ROLLS[side])) and not (whole := rolled(roll)).compared:
            hits += count * whole.dice * chance_at(file, whole) / whole_of(file)
    return [plural(sum(counts.values()), "unit"), f"cost {cost:g} · {hits:.1f} hits"] if counts else []


def unit_rows(file: GameFile) -> Iterator[tuple[str, str, str, str, str]]:
    """Unit, cost, hits, tags, rolls and further values; its own values on a side below."""
    for key, unit in file.unit.items():
        lines = [*_values(file, unit)]
        for side in SIDES:
            own = getattr(unit, side)
            given = [
                f"{name} {getattr(own, name)}" for name in ("cost", "hits", "absorb") if name in own.model_fields_set
            ]
            if changed := [*given, *_values(file, own)]:
                lines.append(f"as {side}: {', '.join(changed)}")
        hits = f"{unit.hits}, extra {unit.absorb}" if unit.hits > 1 else "1"
        yield key, f"{unit.cost:g}", hits, ", ".join(unit.tags), "\n".join(lines) or "rolls nothing"


def _values(file: GameFile, given: Unit | UnitValues) -> Iterator[str]:
    """The rolls of a unit or of its table for a side, then initiative, shield and hits absorbed."""
    main = [(name, getattr(given, name)) for name in ("combat", "attack", "defence")]
    for name, roll in (*main, *given.rolls.items()):
        if roll:
            yield f"{name} {roll_text(file, roll)}"
        elif roll == 0 and isinstance(given, UnitValues):
            yield f"no {name}"
    for name in ("initiative", "shield", "absorbs"):
        if number := getattr(given, name):
            yield f"{name} {number}"


def kind_rows(file: GameFile) -> Iterator[tuple[str, ...]]:
    """Battle kind, title, attackers, defenders."""
    for key, kind in file.battle.items():
        sides = []
        for side in SIDES:
            supported = ", ".join(unit for unit in file.unit if unit in part_of(file, key, side)[1])
            sides.append(", ".join(fighters(file, key, side)) + (f"; supported by {supported}" if supported else ""))
        yield key, kind.title, *sides


def step_rows(file: GameFile) -> Iterator[tuple[str, str, str, str]]:
    """Step (with its group), when, who fires what, at whom and under which conditions."""
    for step in file.step:
        name = step.name + (f" (group {step.group})" if step.group else "")
        yield name, _when(step), _fire(step), _limits(step)


def _when(step: Step) -> str:
    when = "before the battle" if step.when == "before-battle" else "every round"
    if step.from_round or step.to_round:
        when = rounds(step.from_round, step.to_round)
    return when + (f", in {listed(step.battle)}" if step.battle is not None else "")


def _fire(step: Step) -> str:
    fired = [f"{side} {roll}" for side in SIDES if (roll := getattr(step.fire, side)) is not None]
    return listed(fired) + (f", only {listed(step.by)}" if step.by is not None else "")


def _dice_limit(limit: int | AtMost) -> str:
    if isinstance(limit, int):
        return f"at most {plural(limit, 'die', 'dice')}"
    whose, units = ("own", limit.own) if limit.own else ("enemy", limit.enemy)
    each = "no more dice than" if limit.each == 1 else f"at most {limit.each} dice for each of"
    return f"{each} {whose} {_list(units)}" + ("" if limit.most is None else f", at most {limit.most}")


def _limits(step: Step) -> str:
    parts = []
    if step.hits_only is not None:
        parts.append(f"hits only {_list(step.hits_only)}")
    if step.spares:
        parts.append(f"spares {_list(step.spares)}")
    if step.dice_at_most is not None:
        parts.append(_dice_limit(step.dice_at_most))
    if step.aim != "anyone":
        parts.append(
            {"first": "each die at the piece next to fall"}.get(step.aim, f"front {step.aim} against front {step.aim}")
        )
    if step.checks:
        parts.append(f"each hit must pass {_list(step.checks)}")
    if step.cancel:
        parts.append("hits of both sides cancel")
    if step.order == "initiative":
        first = "" if step.ties == "together" else f", equal ones: the {step.ties} first"
        parts.append(f"by initiative{first}")
    if step.compare is not None and step.compare.ratio:
        parts.append("the ratio of the strengths")
    elif (compare := step.compare) is not None:
        dice = f"at most {compare.most.attacker} dice against {compare.most.defender}"
        parts.append(f"compares {plural(compare.pairs, 'pair')}, {dice}, ties: {compare.ties}")
    if step.points:
        parts.append("scores points")
    return "; ".join(parts + presence(step))


def _list(value: object) -> str:
    return ", ".join(written(value)) or "nobody"


def _die(die: Die) -> str:
    """A further die: its sides, or its faces and what they hit."""
    if die.faces is None:
        return f"d{die.sides}"
    hits = [f"{face} hits {_list(units)}" for face, units in (die.hits or {}).items()]
    return f"{len(die.faces)} faces, {', '.join(hits)}"


def summary(file: GameFile) -> list[str]:
    """The head of the listing."""
    dice = file.dice
    faces = f"d{dice.sides}, {dice.hit.replace('-', ' ')}"
    for name in ("always_hit", "always_miss", "clamp"):
        if getattr(dice, name):
            faces += f", {name.replace('_', ' ')} {_list(getattr(dice, name))}"
    further = [f"{name}: {_die(die)}" for name, die in file.die.items()]
    faces = "; ".join([faces, *further])
    tables = ("unit", "battle", "step", "support", "modifier", "condition")
    sizes = [plural(len(getattr(file, name)), "battle kind" if name == "battle" else name) for name in tables]
    return [line for line in (f"{file.name} (format {file.format})", file.about, faces, ", ".join(sizes)) if line]
