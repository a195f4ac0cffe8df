"""Names in a patch: no byte of them is obeyed by a terminal, and git still finds the file."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pipedoctor.fix.code.patch import render_patch


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("name", ["a\u202egnp.py", "a\x9b2J.py", "\x1b[31m\n.py", "größe.py"])
def test_odd_names_are_quoted_as_git_reads_them(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x = 1\n")

    patch = render_patch({name: b"x = 1\n"}, {name: b"x = 2\n"})

    text = patch.decode()
    assert not any(sign in text for sign in "\u202e\x9b\x1b")
    assert ("größe" in text) == (name == "größe.py")
    git = ("git", "apply", "-")
    subprocess.run(git, cwd=tmp_path, input=patch, check=True, env={**os.environ, "GIT_DIR": "x"})
    assert (tmp_path / name).read_bytes() == b"x = 2\n"
