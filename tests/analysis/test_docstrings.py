"""Public functions and the public methods of answers say their parameters, results, errors; their examples hold."""

import doctest
import inspect
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import simulator
from simulator.analysis.result import Result

PUBLIC = {name: getattr(simulator, name) for name in simulator.__all__}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if inspect.isfunction(one)}
METHODS = {
    f"{kind.__name__}.{name}": one
    for kind in PUBLIC.values()
    if inspect.isclass(kind) and (issubclass(kind, Result) or kind is simulator.Scenario)
    for name, one in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_")
}


def parameters_of(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


DESCRIBED = FUNCTIONS | {name: one for name, one in METHODS.items() if parameters_of(one)}


@pytest.mark.parametrize("name", DESCRIBED)
def test_it_says_its_parameters_results_and_an_example(name):
    text = inspect.getdoc(DESCRIBED[name])
    assert "\nReturns\n-------\n" in text
    assert "\nExamples\n--------\n>>> " in text
    described = text.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    given = [one.lstrip("*") for line in re.findall(r"^(\S.*?) :|^(\*\*\w+)$", described, re.M) for one in line if one]
    assert [one for names in given for one in names.split(", ")] == parameters_of(DESCRIBED[name])


def test_every_method_is_described():
    assert [name for name, one in METHODS.items() if not inspect.getdoc(one)] == []


def test_the_examples_hold():
    """Once each, with the public names at hand, as after `from simulator import *`."""
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(verbose=False)
    functions = {inspect.unwrap(one): name for name, one in (METHODS | FUNCTIONS).items()}
    with pd.option_context("display.width", 120):
        for function, name in functions.items():
            for test in finder.find(function, name, globs=dict(PUBLIC)):
                runner.run(test)
                plt.close("all")
    assert runner.summarize(verbose=False).failed == 0
