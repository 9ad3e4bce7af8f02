"""Commands that answer a question: the answer in one sentence first, long tables cut, --all, nothing cut off."""

import json
import re

import pytest

from simulator import load
from simulator.analysis.field_words import field_in_words
from simulator.cli import run
from simulator.scenarios import example_names
from simulator.scenarios.files import example
from simulator.scenarios.paths import leaves

TURNS = ["campaign-two-fronts", "--set", "force.north.regiments=4"]
RANGE = "attacker.regiments=1:50"
GRID = ["--vary", "attacker.regiments=1:30", "--vary", "defender.regiments=1:30"]
BOTH = ["--vary", "attacker.regiments=4:9", "--vary", "attacker.commanders=0:3"]
RUNS = "The chance of the attacker to win runs from < 0.01 % with 1 regiment"
SIX = ["--set", "attacker.regiments=6", "--set", "defender.regiments=5"]
FEW = [
    *("--set", "attacker.tank=1", "--set", "attacker.infantry=3"),
    *("--set", "defender.infantry=3", "--set", "defender.fighter=0"),
]
# Each command, the beginning of its sentence, and words that only its whole table holds ("" for a short answer).
CASES = {
    "best never": (["best", "risk-20v15", *SIX], "Never stop: you take the territory in 63.77 %.", ""),
    "best stop": (
        ["best", "risk-when-to-stop", *SIX],
        "Stop at 2 v 5 or 1 v 4: it is worth 0.5320 to you, and you take the territory in 63.31 %.",
        "",
    ),
    "best dice": (
        ["best", "risk-20v15", *SIX, "--decide", "policy.attacker.hand"],
        "Hand most: you take the territory in 63.77 %.",
        "2 dice",
    ),
    "best losses": (
        ["best", "axis-land-eastern-front", *FEW, "--decide", "policy.attacker.loss_order"],
        "Lose infantry, then the tank: you take the land in 72.03 %.",
        "hits on 1 infantry",
    ),
    "best named": (
        ["best", "europa-lepanto-1571", "--decide", "policy.attacker.first_line"],
        "First line most numerous: you win the sea battle in 69.99 %.",
        "",
    ),
    "best fight": (
        ["best", *TURNS],
        "Go into the first: you are the winner at the end in 51.14 %. Go into the second.",
        "",
    ),
    "need": (
        ["need", "risk-20v15", "--vary", "attacker.regiments"],
        "19 regiments are enough: the attacker wins in 82.21 %, for 19 coins at the game's prices.",
        "",
    ),
    "need without money": (
        ["need", "war-of-the-ring-city", "--vary", "attacker.elite=0,1"],
        "1 elite unit is enough: the attacker wins in 92.29 %, at the game's price of 2.",
        "",
    ),
    "need two": (
        ["need", "risk-20v15", *SIX, *BOTH, "--cost", "each"],
        "5 regiments and 2 commanders are enough: the attacker wins in 81.61 %, for 7 at 1 each.",
        "63.77 %",
    ),
    "compare": (
        ["compare", "risk-20v15", "risk-20v15", "--set", "2:attacker.regiments=22"],
        "The chance of the attacker to win is 86.04 % in risk-20v15; 91.51 % in risk-20v15 2, 5.47 points more, "
        "noticed after about 517 battles each.",
        "rounds, 95 %",
    ),
    "compare means": (
        ["compare", *["europa-season-1632"] * 2, "--set", "2:conditions.poor_weather=false"],
        "The mean of rounds left is 3.721 in europa-season-1632; 4.492 in europa-season-1632 2, 0.771 more.",
        "",
    ),
    "compare many": (
        ["compare", *["risk-20v15"] * 4, "--set", "2:attacker.regiments=18", "--set", "3:attacker.regiments=22"],
        "The chance of the attacker to win is highest in risk-20v15 3: 91.51 %, lowest in risk-20v15 2: 78.06 %",
        "rounds, 95 %",
    ),
    "sensitivity": (
        ["sensitivity", "risk-20v15", *SIX],
        "The modifier of all dice of the attacker at -1 instead of 0 matters most: -40.03 points, ",
        "options.commander_die_sides",
    ),
    "sensitivity to yes or no": (
        ["sensitivity", "birthright-last-word", "--fields", "defender.regents[2]", "--value", "not may_leave"],
        "No instead of yes for “units in the origin” of regent 3 of the defender matters most: -57.25 points, ",
        "",
    ),
    "sensitivity to a policy": (
        ["sensitivity", "birthright-quick-battle", "--fields", "policy.attacker.losses"],
        "The losses of the attacker at as-listed instead of spread matter most: +1.52 points, ",
        "",
    ),
    "sobol": (
        ["sensitivity", "risk-20v15", "--vary", "attacker.regiments=4:6", "--vary", "defender.regiments=4:5"],
        "Most of the chance of the attacker to win is explained by the number of regiments of the attacker: ",
        "",
    ),
    "worth": (
        ["worth", "risk-20v15", *SIX, "--weight", "win=5", "--weight", "attacker_regiments_lost=-1"],
        "It is worth -0.4029 to the attacker on average, and less than 0 in 36.23 %.",
        "at_least",
    ),
    "campaign": (
        ["campaign", "campaign-two-fronts"],
        "The side of north and south is the winner at the end in 87.",
        "",
    ),
    "by round": (["campaign", "skirmish-charge"], "Taken by round 12 in 89.06 % of battles, in half", "\n    12 "),
    "sweep": (
        ["sweep", "risk-20v15", "--vary", RANGE],
        RUNS,
        "\n 25 ",
    ),
    "sweep grid": (
        ["sweep", "risk-20v15", *GRID],
        RUNS,
        "continued",
    ),
    "sweep mean": (
        ["sweep", "risk-20v15", "--vary", "attacker.regiments=1:9", "--value", "mean.rounds"],
        "The mean of rounds runs from 1.342 with 1 regiment to 9.094 with 9 regiments.",
        "",
    ),
    "balance": (
        ["balance", "risk-20v15", "--vary", RANGE],
        "Nearest to even with 14 regiments (6 steps): the attacker wins in 53.79 %",
        "",
    ),
    "units": (["units", "axis-land-flak"], "One more infantry is worth most for its price: ", ""),
}


def said(capsys, monkeypatch, arguments, width=80):
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", CASES)
def test_the_answer_comes_first_and_the_rest_on_request(name, capsys, monkeypatch):
    arguments, sentence, only_in_all = CASES[name]
    short = said(capsys, monkeypatch, arguments)
    narrow = said(capsys, monkeypatch, arguments, 60)
    whole = said(capsys, monkeypatch, [*arguments, "--all"])
    for out in (short, narrow, whole):
        assert " ".join(out.split()).startswith(sentence)
        assert "…" not in out
    assert max(map(len, short.split("Method:")[0].splitlines())) <= 80
    assert "--all" not in whole
    if only_in_all:
        assert "--all " in short
        assert only_in_all not in short
        assert only_in_all in whole


@pytest.mark.parametrize(
    "name", ["best dice", "need two", "compare", "sensitivity", "sobol", "sweep", "by round", "campaign"]
)
def test_json_holds_the_headline_and_every_row(name, capsys, monkeypatch):
    arguments, sentence, _ = CASES[name]
    found = json.loads(said(capsys, monkeypatch, [*arguments, "--json"]))
    headline = found["headline"]
    assert (headline if isinstance(headline, str) else headline["text"]).startswith(sentence)
    rows = next(found[key] for key in ("policy", "cells", "rounds", "table") if key in found)
    assert len(rows) == len(
        json.loads(said(capsys, monkeypatch, [*arguments, "--json", "--all"]))[
            next(key for key in ("policy", "cells", "rounds", "table") if key in found)
        ]
    )


def test_indices_stand_below_their_own_headline_alone(capsys, monkeypatch):
    out = said(capsys, monkeypatch, CASES["sobol"][0])
    assert " ".join(out.split()).startswith(CASES["sobol"][1])
    assert "nearest to even" not in out


def test_the_mean_of_a_yes_no_column_is_a_percentage(capsys, monkeypatch):
    two = ["compare", "axis-land-flak", "axis-land-flak", "--set", "2:attacker.infantry=2", "--value", "mean.taken"]
    out = said(capsys, monkeypatch, two)
    assert (
        "The mean of taken is 64.76 % in axis-land-flak; 46.45 % in axis-land-flak 2, 18.31 points less."
        in " ".join(out.split())
    )
    assert out.count(" %") >= 2


@pytest.mark.parametrize(
    ("command", "line"),
    [
        # The defender's question of a kind that asks for "not stopped" is "stopped".
        (
            "need europa-dardanelles-1657 --vary defender.fleets_plus=1:2 --target 60%",
            "1 FLEET. of the defender is not enough, and nothing that was tried is: it is stopped in 50.00 %.",
        ),
        # Nobody wins where natives resist or not.
        (
            "need europa-cajamarca-1532 --vary attacker.land_detachments=1:2",
            "1 land detachment is not enough, and nothing that was tried is: nobody resists in 30.00 %.",
        ),
        ("need birthright-siege --vary attacker.warcraft=4:5 --target 83%", "5 .* is enough: the castle falls in .*"),
        ("sweep birthright-siege --vary attacker.warcraft=3:4", "The chance that the castle falls runs from .*"),
        (
            "need birthright-march --vary conditions.costs[0]=1:2",
            "1 for number 1 of the costs is not enough, and .* is: the attacker never wins.",
        ),
        (
            "need campaign-hold-against-two --vary force.red.regiments=10:11",
            "Nothing that was tried is enough, not even 10 regiments of red: blue wins in 7.20 %.",
        ),
    ],
)
def test_line_1_speaks_as_its_kind_does(command, line, capsys):
    run(command.split())
    assert re.fullmatch(line, capsys.readouterr().out.splitlines()[0])


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("campaign-sea-then-land", "fight[0].attacker.carried.each", "the load of each ship of fight 1 of our side"),
        ("campaign-sea-then-land", "fight[0].attacker.carried.ships", "the ships that carry of fight 1 of our side"),
        ("campaign-siege-and-relief", "fortress.breda.fortress_level", "the fortress level of breda"),
    ],
)
def test_fields_of_a_campaign_have_names(name, path, words):
    scenario = load(name)
    assert field_in_words(scenario.battle, scenario.data, path, 2) == words


@pytest.mark.parametrize("name", [name for name in example_names() if example(name)["game"] == "campaign"])
def test_no_number_of_a_campaign_is_named_by_its_path(name):
    scenario = load(name)
    numbers = dict(leaves({"fight": dict(enumerate(scenario.data["fight"]))}))
    numbers |= dict(leaves({part: scenario.data[part] for part in ("force", "fortress") if part in scenario.data}))
    for path, value in numbers.items():
        if isinstance(value, int):
            words = field_in_words(scenario.battle, scenario.data, re.sub(r"^fight\.(\d+)", r"fight[\1]", path), value)
            assert not re.search(r"the (each|by|carried|fortress) of|of the (carried|fortress)|_", words), path
