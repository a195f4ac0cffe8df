"""PDR866 names packages whose files are not as they were installed."""

import subprocess
import venv
import zipfile
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Finding, Severity
from pipedoctor.collect.environment.installed_files import installed_files
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Facts, InstalledFiles, Interpreter, ModifiedDistribution
from pipedoctor_checks.environment.installed_files_altered import (
    installed_files_altered,
)

PLACE = Interpreter(executable="/env/bin/python", manager="pip")


def entry(
    name: str, changed: tuple[str, ...] = (), missing: tuple[str, ...] = ()
) -> ModifiedDistribution:
    return ModifiedDistribution(
        name=name,
        version="1.0",
        changed=changed,
        missing=missing,
        changed_count=len(changed),
        missing_count=len(missing),
    )


def judge(*entries: ModifiedDistribution) -> list[Finding]:
    return installed_files_altered(InstalledFiles(entries=entries, compared=9), PLACE)


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param((), id="all as installed"),
        pytest.param((entry("numpy", missing=("numpy/tests/a.py",)),), id="no tests"),
        pytest.param((entry("torch", missing=("torch/include/a.h",)),), id="headers"),
    ],
)
def test_silent(entries: tuple[ModifiedDistribution, ...]) -> None:
    assert judge(*entries) == []


def test_nothing_was_compared() -> None:
    with pytest.raises(CannotJudge, match="no package recorded checksums"):
        installed_files_altered(InstalledFiles(unrecorded=("numpy",)), PLACE)


def test_a_package_that_pipelines_stand_on() -> None:
    (finding,) = judge(
        entry("attrs", changed=("attr/a.py",)),
        entry("torch", ("torch/a.py",), ("torch/b.so", "torch/include/c.h")),
    )

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "changed since installation: torch 1.0 (torch/a.py is changed, and 2 "
        "more); attrs 1.0 (attr/a.py is changed)"
    )
    assert finding.evidence == {
        "changed": {"torch": ["torch/a.py"], "attrs": ["attr/a.py"]},
        "missing": {"torch": ["torch/b.so", "torch/include/c.h"]},
        "compared": 9,
        "unread": 0,
        "without_checksums": [],
    }
    assert finding.remedies[0].shell == (
        "/env/bin/python -m pip install --force-reinstall --no-deps torch==1.0 attrs==1.0"
    )


def test_others_are_a_note(snapshot: SnapshotAssertion) -> None:
    names = ("attrs", "click", "idna", "six")

    (finding,) = judge(*(entry(name, missing=(f"{name}.py",)) for name in names))

    assert finding.severity is Severity.NOTE
    assert finding.summary == snapshot


def test_a_record_gives_the_same_finding() -> None:
    here = InstalledFiles(entries=(entry("torch", ("torch/a.py",)),), compared=1)
    again = Facts.from_record(Facts(here).to_record()).get(InstalledFiles)

    assert again is not None
    found = installed_files_altered(here, PLACE)
    assert found
    assert installed_files_altered(again, PLACE) == found


@pytest.mark.extended
def test_an_edited_file_and_its_cure(tmp_path: Path) -> None:
    """Install a wheel, edit a file of it, take the remedy."""
    env = tmp_path / "env"
    venv.create(env, with_pip=True)
    python = env / "bin/python"
    offline = ["-q", "--no-index", "--find-links", str(wheel(tmp_path).parent)]
    install = [str(python), "-m", "pip", "install", *offline, "numpy"]
    subprocess.run(install, check=True)

    def look() -> list[Finding]:
        chosen = EnvironmentChoice(env=str(env))
        seen = installed_files(Machine(environ={}), chosen, 60.0, lambda _: None)
        assert seen.compared > 100  # pip itself is among them
        return installed_files_altered(seen, Interpreter(executable=str(python)))

    assert look() == []
    (module,) = env.glob("lib/python*/site-packages/numpy.py")
    module.write_text("print('debug')\n")
    (finding,) = look()
    assert finding.severity is Severity.RISKS
    subprocess.run([*finding.remedies[0].argv, *offline], check=True)
    assert look() == []


def wheel(folder: Path) -> Path:
    """A wheel of one module that is called numpy."""
    path = folder / "wheels/numpy-1.0-py3-none-any.whl"
    path.parent.mkdir()
    info = "numpy-1.0.dist-info"
    tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("numpy.py", "")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", tag)
        empty = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
        archive.writestr(f"{info}/RECORD", f"numpy.py,sha256={empty},0\n")
    return path
