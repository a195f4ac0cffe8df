"""Each line of pip in a remedy is resolved by pip itself, against the index, and not installed."""

import json
import re
import shlex
import subprocess
import sys

import pytest

from tests.remedies.printed import list_every_log, list_printed, list_typed_lines

pytestmark = [pytest.mark.slow, pytest.mark.registry]
REMEDIES = [one for _, one in (*list_printed(), *list_every_log())]
FOLDER = re.compile(r" --target \S+")
LINES = sorted(
    {
        FOLDER.sub("", line)
        for lines in list_typed_lines(REMEDIES)
        for line in lines.splitlines()
        if line.startswith("python -m pip install ") and "--index-url" not in line
    }
)
BUILT = {"mmcv", "flash_attn", "torch-cluster", "torch_scatter", "torch_sparse"}
"""They are built from source, on a machine that has torch."""


@pytest.mark.parametrize("line", [one for one in LINES if BUILT.isdisjoint(shlex.split(one))])
def test_pip_finds_what_a_remedy_asks_for(line: str) -> None:
    asked = shlex.split(line)[4:]
    options = ("--dry-run", "--no-deps", "--only-binary=:all:", "--quiet", "--report", "-")
    words = [sys.executable, "-m", "pip", "install", "--ignore-installed", *options, *asked]

    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    found = [one["metadata"]["name"] for one in json.loads(done.stdout)["install"]]
    assert len(found) == sum(not word.startswith("-") for word in asked)
