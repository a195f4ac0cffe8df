"""Environments made ill for real: their log is confirmed there, ruled out elsewhere."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.explanation import local_facts
from pipedoctor.explanation.local_facts import find_sections

pytest.importorskip("torch")
PIL = pytest.importorskip("PIL")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def printed(code: str, environ: Mapping[str, str]) -> str:
    """What Python prints while it dies of this."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environ,
        text=True,
        timeout=120,
    )
    assert done.returncode
    return done.stdout


def told(log: str, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """The first cause, whether it is so in this environment, and why."""
    argv = [sys.executable, "-m", "pipedoctor", "explain", "--format", "json", "-"]
    done = subprocess.run(argv, check=False, capture_output=True, env=environ, input=log, text=True)
    first: Any = json.loads(done.stdout)["causes"][0]
    return first["cause"], first["here"], first["why_here"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.slow
def test_an_old_libstdcxx_comes_first(tmp_path: Path) -> None:
    """A library of the same name that stops at the first version."""
    (tmp_path / "old.c").write_text("int old(void) { return 0; }\n", "utf-8")
    versions = "GLIBCXX_3.4 { global: *; };\nCXXABI_1.3 { };\n"
    (tmp_path / "old.map").write_text(versions, "utf-8")
    flags = ("-Wl,-soname,libstdc++.so.6", "-Wl,--version-script=old.map")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", "libstdc++.so.6", *flags, "old.c"],
        check=True,
        cwd=tmp_path,
    )
    ill = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}

    log = printed("import torch", ill)

    cause, here, why = told(log, ill)
    assert (cause, here) == ("libstdcxx_too_old", "confirmed")
    assert "the libstdc++ from LD_LIBRARY_PATH ends at GLIBCXX_3.4" in why
    cause, here, why = told(log, os.environ)
    assert (cause, here) == ("libstdcxx_too_old", "ruled-out")
    assert "libstdc++.so.6" in why


@pytest.mark.extended
def test_a_pillow_without_its_compiled_part(tmp_path: Path) -> None:
    """A copy that somebody put on PYTHONPATH and that lost a file."""
    ours = Path(str(PIL.__file__)).parent
    lost = shutil.ignore_patterns("_imaging.*", "__pycache__")
    shutil.copytree(ours, tmp_path / "PIL", ignore=lost)
    ill = {**os.environ, "PYTHONPATH": str(tmp_path)}

    log = printed("from PIL import Image", ill)

    cause, here, why = told(log, ill)
    assert (cause, here) == ("pillow_binary_broken", "confirmed")
    assert "PIL/_imaging is not there" in why
    assert told(log, os.environ)[:2] == ("pillow_binary_broken", "ruled-out")


@pytest.mark.skipif(hasattr(PIL, "PILLOW_VERSION"), reason="an old Pillow")
def test_a_name_that_this_pillow_no_longer_has() -> None:
    log = printed("from PIL import PILLOW_VERSION", os.environ)

    cause, here, why = told(log, os.environ)
    assert (cause, here) == ("pillow_api_removed", "confirmed")
    assert "PILLOW_VERSION is missing" in why


def asked(name: str) -> frozenset[str]:
    """What the check of this name has the machine looked at for."""
    return find_sections(filter(None, [get_catalogue().find_check(name)]))


def test_what_takes_seconds_is_read_only_where_it_must() -> None:
    assert "libraries" in asked("libstdcxx-too-old")
    assert "torch_import" not in asked("libstdcxx-too-old")


@pytest.mark.parametrize("driven", [True, False])
def test_torch_is_asked_for_cuda_only_where_a_driver_is(
    driven: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "nvidiactl"
    if driven:
        node.touch()
    monkeypatch.setattr(local_facts, "DRIVER_DEVICES", (str(node),))

    wanted = asked("cuda-unavailable-despite-fitting-driver")

    assert "gpu" in wanted
    assert ("torch_import" in wanted) is driven
