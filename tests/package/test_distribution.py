"""What is in the wheel is all that users need, and nothing else."""

import email
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

import pipedoctor

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob("*.whl")))


@pytest.fixture(scope="session")
def names(wheel: zipfile.ZipFile) -> set[str]:
    return set(wheel.namelist())


def test_what_is_tested_is_the_wheel() -> None:
    """In an editable install the tests would import what no user gets."""
    url = json.loads(distribution("pipedoctor").read_text("direct_url.json") or "{}")
    if url.get("dir_info", {}).get("editable"):
        pytest.skip("an editable install; `sh dev.sh test` tests the wheel")
    assert not Path(pipedoctor.__file__).is_relative_to(ROOT / "pipedoctor")
    assert "site-packages" in Path(pipedoctor.__file__).parts


@pytest.mark.extended
def test_it_takes_two_names_in_site_packages(names: set[str]) -> None:
    top = {name.partition("/")[0] for name in names}

    assert {name for name in top if not name.endswith(".dist-info")} == {
        "pipedoctor",
        "pipedoctor_checks",
    }


def test_every_module_and_table_is_in_it(names: set[str]) -> None:
    ours = {
        str(file.relative_to(folder))
        for folder, package in ((ROOT, "pipedoctor"), (ROOT / "checks", ""))
        for file in (folder / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }

    assert {name for name in names if ".dist-info/" not in name} == ours
    assert {"pipedoctor/py.typed", "pipedoctor_checks/py.typed"} <= ours
    assert any(name.startswith("pipedoctor_checks/world/") for name in ours)


def test_its_metadata_say_what_it_needs(wheel: zipfile.ZipFile, names: set[str]) -> None:
    file = next(name for name in names if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(file))

    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Version"] == pipedoctor.__version__
    needed = [n for n in metadata.get_all("Requires-Dist", []) if "extra" not in n]
    assert not [name for name in needed if name.startswith("torch")]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_its_entry_points(wheel: zipfile.ZipFile, names: set[str]) -> None:
    file = next(name for name in names if name.endswith("entry_points.txt"))

    lines = [line for line in wheel.read(file).decode().splitlines() if line]
    assert lines == [
        "[console_scripts]",
        "pipedoctor = pipedoctor.cli:main",
        "[pipedoctor.checks]",
        "builtin = pipedoctor_checks",
    ]


def test_the_sdist_holds_what_a_packager_needs(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}

    assert {"LICENSE", "CHANGELOG.md", "README.md", "pyproject.toml"} <= names
    assert {"tests/engine/test_catalogue.py", "checks/pipedoctor_checks/py.typed"} <= names


@pytest.mark.slow
def test_an_editable_install_works(checkout: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    offline = ("--no-build-isolation", "--no-deps", "--no-index", "--target")
    subprocess.run(
        [*pip, *offline, str(tmp_path), "--editable", str(checkout)],
        check=True,
        capture_output=True,
    )
    # a .pth file counts only in a site directory
    where = (
        f"import site, sys; sys.path.insert(0, {str(tmp_path)!r});"
        f"sys.path[:0] = [l.strip() for f in __import__('pathlib').Path("
        f"{str(tmp_path)!r}).glob('*.pth') for l in f.open() if l[0] == '/'];"
        "import pipedoctor, pipedoctor_checks;"
        "print(pipedoctor.__file__, pipedoctor_checks.__file__)"
    )
    uncovered = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", where],
        env=uncovered,
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    )

    assert done.stdout.split() == [
        str(checkout / "pipedoctor" / "__init__.py"),
        str(checkout / "checks" / "pipedoctor_checks" / "__init__.py"),
    ]
