"""An environment is compared with its record, package by package."""

from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.record_drift import record_drift
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Drifted, RecordDrift


@pytest.fixture
def env(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.7\n")
    site = tmp_path / "lib/python3.11/site-packages"
    for folder in ("torch-2.13.0+cpu", "numpy-2.4.6", "odd-not_a.version-1"):
        (site / f"{folder}.dist-info").mkdir(parents=True)
    odd = site / "odd-not_a.version-1.dist-info"
    odd.rename(site / "odd-2023final.dist-info")
    return tmp_path


def drift(env: Path, kind: str, text: str) -> RecordDrift:
    return record_drift(
        Machine(environ={}),
        EnvironmentChoice(env=str(env)),
        ("/project/record", kind, text.encode()),
        lambda _: None,
    )


@pytest.mark.parametrize(
    "line",
    [
        "torch==2.13.0+cpu",
        "torch==2.13.0",
        "torch>=2.12",
        "Torch",
        "colorama==9; sys_platform == 'win32'",
        "later==1; python_version >= '3.12'",
    ],
)
def test_fits(env: Path, line: str) -> None:
    assert drift(env, "requirements", line).drifted == ()


@pytest.mark.parametrize(
    ("line", "drifted"),
    [
        ("torch==2.12.0", Drifted(name="torch", wanted="==2.12.0", found="2.13.0+cpu")),
        (
            "torch==2.13.0+cu126",
            Drifted(name="torch", wanted="==2.13.0+cu126", found="2.13.0+cpu"),
        ),
        ("numpy<2", Drifted(name="numpy", wanted="<2", found="2.4.6")),
        ("pillow", Drifted(name="pillow", wanted="")),
    ],
)
def test_differs(env: Path, line: str, drifted: Drifted) -> None:
    seen = drift(env, "requirements", line)

    assert seen.drifted == (drifted,)
    assert (seen.judged, seen.kind, seen.path) == (1, "requirements", "/project/record")


LOCK = """
[[package]]
name = "project"
source = {{ virtual = "." }}
dependencies = [{{ name = "torch" }}, {{ name = "timm" }}]
[[package]]
name = "torch"
version = "{torch}"
[[package]]
name = "timm"
version = "1.0"
[[package]]
name = "of-an-extra"
version = "1.0"
"""


@pytest.mark.parametrize(
    ("torch", "names"),
    [
        ("2.13.0", ["timm"]),
        ("2.13.0+cpu", ["timm"]),
        ("2.13.0+cu126", ["torch", "timm"]),
        ("2.12.0", ["torch", "timm"]),
    ],
)
def test_lock(env: Path, torch: str, names: list[str]) -> None:
    seen = drift(env, "uv.lock", LOCK.format(torch=torch))

    assert [d.name for d in seen.drifted] == names
    assert seen.judged == 2


def test_one_fork_of_a_lock_is_enough(env: Path) -> None:
    text = LOCK.format(torch="2.12.0") + '[[package]]\nname="torch"\nversion="2.13.0"\n'

    assert [d.name for d in drift(env, "uv.lock", text).drifted] == ["timm"]


def test_versions_that_no_standard_reads_are_compared_as_text(env: Path) -> None:
    same = '[[packages]]\nname = "odd"\nversion = "2023final"\n'
    other = '[[packages]]\nname = "odd"\nversion = "2024final"\n'

    assert drift(env, "pylock", same).drifted == ()
    assert [d.wanted for d in drift(env, "pylock", other).drifted] == ["2024final"]


@pytest.mark.parametrize("marker", ["nonsense ==", "'x' in extras"])
def test_markers_of_groups_judge_nothing(env: Path, marker: str) -> None:
    text = f'[[packages]]\nname = "gone"\nversion = "1"\nmarker = "{marker}"\n'

    assert drift(env, "pylock", text).judged == 0


def test_conda_by_its_records(env: Path) -> None:
    meta = env / "conda-meta"
    meta.mkdir()
    (meta / "history").touch()
    for name in ("pytorch-2.13.0-cpu_0", "mkl-2024.2-h1_0"):
        (meta / f"{name}.json").write_text("{}")
    text = "dependencies: [python=3.11, pytorch=2.13, mkl=2023, numpy=2.4, ffmpeg]"

    seen = drift(env, "environment.yml", text)

    assert seen.judged == 5
    assert seen.drifted == (
        Drifted(name="mkl", wanted="==2023.*", found="2024.2"),
        Drifted(name="ffmpeg", wanted=""),
    )


def test_a_nightly_is_in_the_range(env: Path) -> None:
    site = env / "lib/python3.11/site-packages"
    (site / "torchvision-0.30.0.dev20261101.dist-info").mkdir()

    assert drift(env, "requirements", "torchvision>=0.28").drifted == ()


def test_a_python_without_its_patch_release_is_not_compared(env: Path) -> None:
    (env / "pyvenv.cfg").write_text("home = /nowhere/bin\n")
    (env / "bin/python").rename(env / "bin/python3.11")
    (env / "bin/python").symlink_to("python3.11")

    seen = drift(env, "environment.yml", "dependencies: [python=3.11.7]")

    assert (seen.judged, seen.drifted) == (0, ())


def test_pytorch_of_conda_may_come_from_pip(env: Path) -> None:
    assert drift(env, "environment.yml", "dependencies: [pytorch=2.13]").drifted == ()
