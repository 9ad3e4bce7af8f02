"""Python in a process of its own, for tests of caches and of switches in the environment."""

import os
import subprocess
import sys


def python(code, **environment):
    """The finished process that ran this code without an error."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done
