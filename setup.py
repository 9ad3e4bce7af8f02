"""The build copies the rules documents of docs/rules into the package, where `battle-odds rules` reads them."""

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


setup(cmdclass={"build_py": BuildWithRules})
