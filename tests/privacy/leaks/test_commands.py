"""A home, an environment, a project and a log full of secrets; every command is run."""

import zipfile
from pathlib import Path

import pytest

from tests.privacy.leaks.conftest import NAMES, SECRET, Start, Tells

ALL = (*SECRET, *NAMES, "project")
EXAMINED = ("--quick", "--env", "../env", "--data", "../data", "--workers", "64")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
def test_check(form: str, start: Start, tells: Tells) -> None:
    done = start("check", *EXAMINED, "--format", form, ".")

    assert done.returncode in (0, 1), done.stderr
    assert tells(done.stdout + done.stderr, *SECRET, *NAMES) == []


def test_report_and_what_it_keeps(start: Start, tells: Tells, world: Path) -> None:
    done = start("report", *EXAMINED, "--all", "-o", "x.zip", ".")

    assert done.returncode == 0, done.stderr
    assert tells(done.stdout + done.stderr, *SECRET, *NAMES) == []
    with zipfile.ZipFile(world / "x.zip") as archive:
        for name in archive.namelist():
            assert tells(archive.read(name), *ALL) == [], name
    kept, *_ = (world.parent / "state/pipedoctor/reports").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_its_owner_reads_it(start: Start) -> None:
    start("report", *EXAMINED, "-o", "x.json", ".")

    real = start("report", "--unredact", "x.json").stdout.decode()

    assert "zephyrine" in real
    assert "/moonshot" in real
    assert "hunter2pw" not in real
    assert "hf_AbCd" not in real


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_explain(form: str, start: Start, tells: Tells) -> None:
    done = start("explain", "job.log", "--format", form)

    assert done.returncode == 1, done.stderr
    assert tells(done.stdout + done.stderr, *SECRET, *NAMES) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_diff(form: str, start: Start, tells: Tells, world: Path) -> None:
    start("check", *EXAMINED, "--no-redact", "--format", "json", "-o", "raw.json", ".")
    raw = (world / "raw.json").read_text("utf-8")
    other = raw.replace("zephyrine", "ottokar").replace("moonlib", "sunlib")
    (world / "other.json").write_text(other)

    done = start("diff", "raw.json", "other.json", "--format", form, "-v")

    assert done.returncode == 1, done.stderr
    assert tells(done.stdout + done.stderr, *SECRET, *NAMES) == []
    assert b"sunlib" in done.stdout
