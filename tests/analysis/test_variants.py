"""Variants: linked changes that keep chances on other dice."""

import json

import pytest

from simulator import ScenarioError
from simulator.analysis.studies.variants import variant
from simulator.cli import run
from simulator.cli.run import BAD_INPUT
from simulator.scenarios import draft
from tests.analysis.test_balance import DUEL

pytestmark = pytest.mark.xdist_group("custom")  # its rules are compiled once, by one worker
BOW = "rules.unit.bow"


def nearest(chance, faces):
    """The number of faces, at least one, whose chance is nearest; of two the larger."""
    return min(range(faces, 0, -1), key=lambda hits: abs(hits / faces - chance))


@pytest.mark.parametrize("faces", [2, 4, 8, 10, 12, 20, 100])
@pytest.mark.parametrize("hit", ["at-most", "at-least"])
def test_chances_are_as_near_as_faces_allow(faces, hit):
    changes = {
        "rules.dice.sides": faces,
        "rules.dice.hit": hit,
        "rules.unit.*.attack": "scale",
        f"{BOW}.defence": "scale",
    }
    changed, lines = variant(draft(DUEL), changes)
    bow = changed.battle().rules.unit["bow"]
    for value, was in ((bow.attack, 2), (bow.defence, 3)):
        assert (value if hit == "at-most" else faces + 1 - value) == nearest(was / 6, faces)
    assert len(lines) == 2
    assert lines[0].startswith(f"{BOW}.attack: 2 is now {bow.attack}: 2 of 6 faces hit (33.3 %), now ")


def test_tables_keep_their_other_keys_and_a_die_of_its_own_stays():
    rules = DUEL["rules"] | {"die": {"big": {"sides": 20}}, "format": 2}
    units = {"axe": {"combat": {"value": 2, "dice": 3}}, "bow": {"combat": {"value": 11, "die": "big"}}}
    changes = {"rules.dice.sides": 12, "rules.unit.*.combat": "scale"}
    changed, lines = variant(draft(DUEL | {"rules": rules | {"unit": units}}), changes)
    axe, bow = (changed.battle().rules.unit[name].combat for name in ("axe", "bow"))
    assert (axe.value, axe.dice, bow.value) == (4, 3, 11)
    assert lines[1] == f"{BOW}.combat.value: 11 stays, with a die of its own"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules.unit.*.atack": "scale"}, r"rules.unit.\*.atack: no key that is set"),
        ({"rules.unit.*.absorb": "scale"}, "rules.unit.axe.absorb: first cannot be scaled"),
        ({"rules.dice.sides": "ten", "rules.unit.*.attack": "scale"}, "rules.dice.sides: ten is not allowed"),
    ],
)
def test_refusals(changes, said):
    with pytest.raises(ScenarioError, match=said):
        variant(draft(DUEL), changes)


def test_compare_says_what_became_of_each(tmp_path, capsys):
    file = tmp_path / "duel.json"
    file.write_text(json.dumps(DUEL))
    linked = ["--variant", "d12: rules.dice.sides=12, rules.unit.*.attack=scale, rules.unit.*.combat=scale"]
    assert run(["compare", str(file), *linked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["odds"]) == ["duel", "d12"]
    assert [note.partition(":")[2].partition(":")[0].strip() for note in told["notes"]] == [
        "rules.unit.bow.attack",
        "rules.unit.axe.combat",
    ]
    for wrong in ("d12", "d12: a=1, a=2", "duel: attacker.axe=3"):
        assert run(["compare", str(file), "--variant", wrong]) == BAD_INPUT
        assert capsys.readouterr().err.startswith("--variant: ")
