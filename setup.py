"""What the build does beyond pyproject.toml.

It copies the rules documents of docs/rules into the package, where `battle-odds rules` reads them, and gives packages a
README whose links work outside the repository.
"""

import re
import tomllib
from pathlib import Path
from shutil import copytree

from setuptools import setup
from setuptools.command.build_py import build_py

DOCUMENTS = Path("docs/rules")


class BuildWithRules(build_py):
    """Copies the documents into a wheel; an editable installation reads them where they are."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if not self.editable_mode:
            copytree(DOCUMENTS, Path(self.build_lib, "simulator", "rules_documents"), dirs_exist_ok=True)

    def get_source_files(self) -> list[str]:
        """The files of a source distribution."""
        return [*super().get_source_files(), *(path.as_posix() for path in sorted(DOCUMENTS.glob("*.md")))]


def published(readme: str) -> str:
    """The README with links and pictures of the repository as addresses of its host (`Source` in pyproject.toml)."""
    home = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]

    def address(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        view = "raw" if picture else "tree" if Path(target).is_dir() else "blob"
        return f"{picture}[{text}]({home}/{view}/main/{target})"

    return re.sub(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)\s]+)\)", address, readme)


setup(
    cmdclass={"build_py": BuildWithRules},
    long_description=published(Path("README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
