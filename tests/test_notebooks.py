"""The notebooks are kept with their outputs; run again they say the same.

`python -m tests.test_notebooks [FILE ...]` runs them and keeps what they say now.
"""

import re
import sys
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

pytestmark = pytest.mark.xdist_group("notebooks")
ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Styles and tags of a table.
TAGS = re.compile(r"<style.*?</style>|<[^>]*>", re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def run_again(path, manager=None):
    """The notebook executed in a new kernel, or in the kernel of `manager`, emptied."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(ROOT)}}
    if manager:
        notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    NotebookClient(notebook, manager, timeout=240, kernel_name="python3", resources=resources).execute()
    del notebook.cells[: bool(manager)]
    for place, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = re.sub(r"\bT_[0-9a-f]{5}", f"T_{place}", output.data["text/html"])
                output.data["text/plain"] = re.sub(r" at 0x[0-9a-f]+", "", output.data["text/plain"])
    return notebook


@pytest.fixture(scope="module")
def manager():
    """One kernel for all notebooks: importing takes longer than most of them."""
    manager = NotebookClient(nbformat.v4.new_notebook(), kernel_name="python3").create_kernel_manager()
    yield manager
    run_sync(manager.shutdown_kernel)(now=True)


def said(notebook):
    """Output of each code cell: its text, and the number of pictures."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            text = "".join(output.get("text", "") for output in cell.outputs)
            shown = [output.data for output in cell.outputs if "data" in output]
            for data in shown:
                if "image/png" not in data:
                    text += TAGS.sub(" ", data.get("text/html", "")) or data.get("text/plain", "")
            yield text, sum("image/png" in data for data in shown)


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_with_their_outputs_and_pictures(path):
    kept = list(said(nbformat.read(path, as_version=4)))
    assert sum(bool(text) for text, _ in kept) >= 3
    assert kept[0] == ("", 1)  # the answer to the question above it


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_short_and_speak_after_every_output(path):
    cells = nbformat.read(path, as_version=4).cells
    assert len(cells) <= 25
    for cell, after in pairwise([*cells, None]):
        if cell.cell_type == "code" and cell.outputs:
            assert after is not None
            assert after.cell_type == "markdown"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_say_the_same_when_run_again(path, manager):
    kept, now = list(said(nbformat.read(path, as_version=4))), list(said(run_again(path, manager)))
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
