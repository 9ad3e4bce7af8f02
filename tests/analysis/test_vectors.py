"""The reference figures of docs/rules/decisions.md, tool by tool; `best` and `need` have their own tests."""

import re

import pytest

import simulator
from tests.vectors import decision_vectors, mismatches, of_tool

BUILT = ("compare", "worth", "sensitivity", "rounds", "luck", "mix", "campaign")
# Tools whose cases other files test.
ELSEWHERE = {"best", "need"}


def test_every_tool_is_tested():
    assert {vector["tool"] for vector in decision_vectors()} == {*BUILT, *ELSEWHERE}


def called(vector):
    args = dict(vector["args"])
    if vector["tool"] == "worth":
        return simulator.worth(args.pop("scenario"), **args)
    if vector["tool"] == "campaign":
        return simulator.exact(simulator.campaign(*args.pop("scenarios"), **args))
    if vector["tool"] == "sensitivity" and "vary" in args:
        return simulator.sobol(**args)
    return getattr(simulator, vector["tool"])(**args)


def near(expected):
    return pytest.approx(expected, abs=1e-9)


def close_rows(found, expected):
    """Each expected row is the found one at its place, in the columns that it names."""
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        assert {name: row[name] for name in wanted} == {
            name: near(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
            for name, value in wanted.items()
        }


@pytest.mark.parametrize("vector", [case for tool in BUILT for case in of_tool(tool, "error")])
def test_refused(vector):
    with pytest.raises(ValueError, match=rf"^[^:\n]*{re.escape(vector['error'])}[^\n]*$"):
        called(vector)


@pytest.mark.parametrize("vector", of_tool("compare", "expect"))
def test_compare(vector):
    found = called(vector)
    close_rows(found.rows(), vector["expect"]["rows"])
    if "distance" in vector["expect"]:
        distances = {(row["column"], row["scenario"]): row["distance"] for row in found.distances()}
        for row in vector["expect"]["distance"]:
            assert distances[row["column"], row["scenario"]] == near(row["distance"])


@pytest.mark.parametrize("vector", of_tool("worth", "expect"))
def test_worth(vector):
    found, expect = called(vector), dict(vector["expect"])
    assert {f"{x:g}": p for x, p in found.p_lose.items()} == near(expect.pop("p_lose"))
    assert {name: getattr(found, name) for name in expect} == near(expect)


@pytest.mark.parametrize("vector", of_tool("sensitivity", "expect"))
def test_sensitivity(vector):
    found, expect = called(vector), vector["expect"]
    if "indices" in expect:
        indices = {row["path"]: [row["first"], row["total"]] for row in found.to_dict("records")}
        assert indices == {path: near(pair) for path, pair in expect["indices"].items()}
        return
    assert found.base == near(expect["base"])
    rows = {(row["path"], row["to"]): row for row in found.rows()}
    close_rows([rows[row["path"], row["to"]] for row in expect["rows"]], expect["rows"])
    assert set(expect["skipped"]) <= {one.path for one in found.refusals}


@pytest.mark.parametrize("vector", of_tool("rounds", "expect"))
def test_rounds(vector):
    close_rows(called(vector).rows(), vector["expect"]["table"])


@pytest.mark.parametrize("vector", of_tool("luck", "expect"))
def test_luck(vector):
    found, expect = called(vector), dict(vector["expect"])
    close_rows(found.rows(), expect.pop("battles"))
    assert {name: getattr(found, name) for name in expect} == near(expect)


@pytest.mark.parametrize("vector", of_tool("mix", "expect"))
def test_mix(vector):
    found, expect = called(vector), vector["expect"]
    assert mismatches(found.odds, expect["odds"], 1e-9) == {}
    close_rows(found.rows(), expect["table"])
    for one in expect["information"]:
        rows = {row["field"]: row["worth"] for row in found.information_rows(**one["args"])}
        assert rows == near(one["worth"])


@pytest.mark.parametrize("vector", of_tool("campaign", "expect"))
def test_campaign(vector):
    assert mismatches(called(vector), vector["expect"]["odds"], 1e-9) == {}
