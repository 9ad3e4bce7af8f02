"""Draw the pictures of docs/gallery.md with the code that stands beside them: `python docs/pictures.py`."""

from __future__ import annotations

import os
import re
from pathlib import Path

DOCS = Path(__file__).parent.resolve()


def main() -> None:
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    os.chdir(DOCS / "pictures")
    exec("\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)), {})


if __name__ == "__main__":
    main()
