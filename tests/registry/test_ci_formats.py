"""What we write for CI, judged by the schemas that others publish in the index."""

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from pipedoctor.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.registry]

SARIF = (
    "@microsoft/jest-sarif@1.0.0-beta.0",
    "package/lib/schemas/sarif-2.1.0-rtm.5.json",
)
JUNIT = ("pytest==9.0.2", "testing/example_scripts/junit-10.xsd")
CODE = """\
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")

    def __len__(self):
        return 9

    def __getitem__(self, index):
        print(index)
        self.file.seek(index)
        return self.file.read(1)


for epoch in range(9):
    for batch in DataLoader(Images("x"), num_workers=64):
        batch = batch.pin_memory().cuda()
"""
Report = Callable[..., bytes]


def fetched(argv: list[str], folder: Path, pattern: str, member: str) -> bytes:
    """A file out of an archive of the index; skips where there is no such archive."""
    if shutil.which(argv[0]) is None:
        pytest.skip(f"no {argv[0]}")
    try:
        subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=120)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("no package index can be reached")
    (archive,) = folder.glob(pattern)
    with tarfile.open(archive) as packed:
        (name,) = [name for name in packed.getnames() if name.endswith(member)]
        file = packed.extractfile(name)
        assert file is not None
        return file.read()


@pytest.fixture(scope="module")
def sarif(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema of SARIF 2.1.0 by its authors."""
    argv = ["npm", "pack", "--silent", SARIF[0]]
    folder = tmp_path_factory.mktemp("npm")
    schema: dict[str, Any] = json.loads(fetched(argv, folder, "*.tgz", SARIF[1]))
    assert "(SARIF) Version 2.1.0" in schema["title"]
    return schema


@pytest.fixture(scope="module")
def xsd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The schema of Jenkins' JUnit plug-in, as pytest's own tests carry it."""
    folder = tmp_path_factory.mktemp("sdist")
    argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    argv += ["--no-binary", ":all:", "-d", ".", JUNIT[0]]
    file = folder / "junit.xsd"
    file.write_bytes(fetched(argv, folder, "*.tar.gz", JUNIT[1]))
    return file


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Write a report of hazards in code, a notebook and this machine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd name,%:#.py").write_text(CODE)
    cell = {"cell_type": "code", "source": CODE}
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": [cell]}))
    (tmp_path / "bad.py").write_text("import torch\nx = (")

    def write(form: str, *more: str) -> bytes:
        args = ("check", "--no-config", "--fail-on", "never", "--format", form)
        result = CliRunner().invoke(main, [*args, *more, "."])
        assert result.exit_code == 0, result.output
        return result.stdout_bytes

    return write


@pytest.mark.parametrize("more", [(), ("--quick",), ("--select", "PDR2")])
def test_sarif(sarif: dict[str, Any], report: Report, more: tuple[str, ...]) -> None:
    log = json.loads(report("sarif", *more))

    checker = jsonschema.FormatChecker()
    jsonschema.validate(log, sarif, format_checker=checker)
    assert any("fixes" in one for one in log["runs"][0]["results"]) or more


def test_the_schema_of_sarif_refuses(sarif: dict[str, Any], report: Report) -> None:
    log = json.loads(report("sarif", "--quick"))
    log["runs"][0]["results"][0]["level"] = "breaks"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, sarif)


@pytest.mark.skipif(not shutil.which("xmllint"), reason="no xmllint")
@pytest.mark.parametrize("more", [(), ("--quick",)])
def test_junit(xsd: Path, report: Report, more: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["xmllint", "--noout", "--schema", str(xsd), "-"],
        input=report("junit", *more),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"- validates\n")
