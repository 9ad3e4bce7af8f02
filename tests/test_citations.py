"""Citations of rules documents point at documents and sections that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
# "docs/rules/risk.md section 5.5", "docs/rules/risk.md sections 2, 3 and 5"
CITED = re.compile(r"docs/rules/(\w+\.md)(?:\s+sections?\s+((?:\d[\d.]*(?:,\s+|\s+and\s+|\s+to\s+)?)+))?")
FILES = [
    path
    for folder in ("simulator", "tests", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    # Pages that the docs site makes may come and go while the tests are collected.
    if path.suffix in {".py", ".md", ".toml"} and "generated" not in path.parts
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_citations(path):
    for document, sections in CITED.findall(path.read_text(encoding="utf-8")):
        assert document in DOCUMENTS, f"{path}: {document}"
        for section in re.findall(r"\d+", re.sub(r"\.\d+", "", sections)):
            assert re.search(rf"^## {section}\.", DOCUMENTS[document], re.MULTILINE), f"{path}: {document} {section}"


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_documents_stand_on_their_own(name):
    folder = ROOT / "docs" / "rules"
    for place in re.findall(r"(?<![\w./])(?:\.\./)+[\w./-]*", DOCUMENTS[name]):
        assert (folder / place).resolve().is_relative_to(ROOT), f"{name}: {place} is outside this repository"
    absolute = re.findall(r"(?<![\w./:-])/(?:home|root|tmp|usr|var|work)/", DOCUMENTS[name])
    assert not absolute, f"{name}: a path of one machine"
