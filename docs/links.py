"""Check that all web addresses in the README and the documentation answer: `python docs/links.py`. Needs the internet.

The tests check the links inside the repository (tests/test_documents.py).
"""

from __future__ import annotations

import re
import sys
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parent.parent
ADDRESS = re.compile(r"\]\((https://[^)#\s]+)")
# Replies of sites that are there, but refuse programs.
REFUSED = {HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.TOO_MANY_REQUESTS}


def failure(address: str) -> str | None:
    """The reason why an address does not answer; None if it does."""
    try:
        urlopen(Request(address, method="HEAD", headers={"User-Agent": "Mozilla/5.0"}), timeout=20).close()
    except HTTPError as error:
        return None if error.code in REFUSED else str(error)
    except OSError as error:
        return str(error)
    return None


def main() -> int:
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    addresses = sorted({found for path in texts for found in ADDRESS.findall(path.read_text(encoding="utf-8"))})
    failures = {address: reason for address in addresses if (reason := failure(address))}
    for address, reason in failures.items():
        print(f"{address}: {reason}")
    print(f"{len(addresses)} addresses, {len(failures)} do not answer")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
