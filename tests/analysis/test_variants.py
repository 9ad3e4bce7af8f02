"""Variants: linked changes that keep chances on other dice."""

import json

import pytest

from simulator import ScenarioError, odds, sweep
from simulator.analysis.studies.variants import variant
from simulator.cli import run
from simulator.cli.run import BAD_INPUT
from simulator.scenarios import draft
from simulator.scenarios.files import toml_text
from tests.analysis.test_balance import DUEL

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
    base, found = draft(DUEL), variant(draft(DUEL), changes)
    bow, lines = base.with_fields({"variant": found}).battle().rules.unit["bow"], found.lines
    for value, was in ((bow.attack, 2), (bow.defence, 3)):
        assert (value if hit == "at-most" else faces + 1 - value) == nearest(was / 6, faces)
    assert len(lines) == 2
    assert lines[0].startswith(f"{BOW}.attack: 2 is now {bow.attack}: 2 of 6 faces hit (33.3 %), now ")


def test_tables_keep_their_other_keys_and_a_die_of_its_own_stays():
    rules = DUEL["rules"] | {"die": {"big": {"sides": 20}}, "format": 2}
    units = {"axe": {"combat": {"value": 2, "dice": 3}}, "bow": {"combat": {"value": 11, "die": "big"}}}
    changes = {"rules.dice.sides": 12, "rules.unit.*.combat": "scale"}
    base = draft(DUEL | {"rules": rules | {"unit": units}})
    found = variant(base, changes)
    made = base.with_fields({"variant": found}).battle().rules.unit
    axe, bow = (made[name].combat for name in ("axe", "bow"))
    assert (axe.value, axe.dice, bow.value) == (4, 3, 11)
    assert found.lines[1] == f"{BOW}.combat.value: 11 stays, with a die of its own"


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
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["odds"]) == ["duel", "d12"]
    assert [note.partition(":")[2].partition(":")[0].strip() for note in answer["notes"]] == [
        "rules.unit.bow.attack",
        "rules.unit.axe.combat",
    ]
    for wrong in ("=d12", "d12: a=1, a=2", "duel: attacker.axe=3"):
        assert run(["compare", str(file), "--variant", wrong]) == BAD_INPUT
        assert capsys.readouterr().err.startswith("--variant: ")


DECLARED = """
[variant.d12]
rules.dice.sides = 12
rules.unit."*".attack = "scale"
"rules.unit.*.combat" = "scale"

[variant.more-bows]
attacker.bow = 4
"""


@pytest.fixture
def duel(tmp_path):
    file = tmp_path / "duel.toml"
    file.write_text(f"{toml_text(DUEL)}{DECLARED}")
    return str(file)


def test_a_sweep_over_declared_variants(duel, capsys):
    asked = ["sweep", duel, "--variant", "d12, more-bows", "--variant", "axes: attacker.axe=5"]
    assert run([*asked, "--vary", "defender.axe=1,3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [(cell["variant"], cell["defender.axe"]) for cell in answer["cells"]] == [
        (name, axes) for name in ("base", "d12", "more-bows", "axes") for axes in (1, 3)
    ]
    assert [line.split(":")[:2] for line in answer["changes"]] == [
        ["d12", " rules.unit.bow.attack"],
        ["d12", " rules.unit.axe.combat"],
    ]
    alone = odds(draft(duel).with_fields({"attacker.bow": 4, "defender.axe": 3}))
    assert answer["cells"][5]["value"] == pytest.approx(alone.winner("attacker"), abs=1e-12)
    assert run(["compare", duel, "--variant", "d12", "--json"]) == 0
    both = json.loads(capsys.readouterr().out)["odds"]
    assert list(both) == ["duel", "d12"]
    assert run(["sweep", duel, "--variant", "d12"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "d12: rules.unit.bow.attack: 2 is now 4: 2 of 6 faces hit (33.3 %), now 4 of 12 (33.3 %)" in text


def test_a_sweep_over_variants_in_python():
    fewer = {"one-axe": {"defender.axe": 1}, "base": {}}
    swept = sweep(DUEL, {"variant": fewer, "attacker.axe": [2, 3]})
    assert [cell.settings for cell in swept.cells] == [(name, axes) for name in fewer for axes in (2, 3)]
    assert (
        swept.cells[1].value == sweep(DUEL | {"defender": {"bow": 2, "axe": 1}}, {"attacker.axe": [3]}).cells[0].value
    )
    assert swept.changes == []
    assert odds(DUEL | {"variant": fewer}).winner("attacker") == odds(DUEL).winner("attacker")


@pytest.mark.parametrize(
    ("given", "names", "said"),
    [
        ({}, ["d10"], "variant: 'd10' is not allowed; must be one of base"),
        ({"d12": {}}, ["d10"], "one of base, d12; did you mean d12?"),
        ({"d12": 12}, ["d12"], "variant.d12: 12 is not allowed; give a table of changes"),
        ("d12", ["base"], "variant: 'd12' is not allowed; give a table of changes"),
        ({"d12": {"rules.unit.*.atack": "scale"}}, ["d12"], r"variant.d12: rules.unit.\*.atack: no key that is set"),
    ],
)
def test_variants_that_are_refused(given, names, said):
    with pytest.raises(ScenarioError, match=said):
        sweep(DUEL | {"variant": given}, {"variant": names})
