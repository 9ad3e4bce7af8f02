"""The notebooks are kept with their outputs; run again they say the same.

`python -m tests.test_notebooks [FILE ...]` runs them and keeps what they say now.
"""

import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def run_again(path):
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(ROOT)}}
    NotebookClient(notebook, timeout=240, kernel_name="python3", resources=resources).execute()
    return notebook


def said(notebook):
    """Output of each code cell: its text, and the number of pictures."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = "".join(output.get("text", "") for output in cell.outputs)
            shown = [output.data for output in cell.outputs if "data" in output]
            text += "".join(data.get("text/plain", "") for data in shown if "image/png" not in data)
            yield text, sum("image/png" in data for data in shown)


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_with_their_outputs_and_pictures(path):
    kept = list(said(nbformat.read(path, as_version=4)))
    assert sum(bool(text) for text, _ in kept) >= 3
    assert sum(pictures for _, pictures in kept) >= 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_say_the_same_when_run_again(path):
    kept, now = list(said(nbformat.read(path, as_version=4))), list(said(run_again(path)))
    for (text, pictures), (text_now, pictures_now) in zip(kept, now, strict=True):
        assert pictures_now == pictures
        assert numbers(text_now) == pytest.approx(numbers(text), rel=1e-6, abs=1e-9)


if __name__ == "__main__":
    for notebook in map(Path, sys.argv[1:] or NOTEBOOKS):
        found = run_again(notebook)
        for cell in found.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(found, notebook)
        print(notebook.name)
