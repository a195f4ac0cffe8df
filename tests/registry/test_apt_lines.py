"""Each line of apt-get in a remedy is typed as a simulation: the packages are in the index."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.remedies.printed import list_every_log, list_printed, list_typed_lines

pytestmark = [
    pytest.mark.slow,
    pytest.mark.registry,
    pytest.mark.root,
    pytest.mark.skipif(not shutil.which("apt-get"), reason="no apt-get here"),
]
INDEX = Path("/var/lib/apt/lists")
REMEDIES = [one for _, one in (*list_printed(), *list_every_log())]
LINES = sorted(
    {
        line.removeprefix("sudo ")
        for lines in list_typed_lines(REMEDIES)
        if "sources.list" not in lines  # of a repository that the remedy adds
        for line in lines.splitlines()
        if line.removeprefix("sudo ").startswith("apt-get install ")
    }
)


@pytest.mark.parametrize("line", LINES)
def test_apt_finds_what_a_remedy_asks_for(line: str) -> None:
    if os.geteuid() != 0 or not any(INDEX.iterdir()):
        pytest.skip("no index of packages here")
    program, *words = shlex.split(line)

    done = subprocess.run(
        [program, "--simulate", *words], check=False, capture_output=True, text=True, timeout=120
    )

    assert done.returncode == 0, done.stderr
