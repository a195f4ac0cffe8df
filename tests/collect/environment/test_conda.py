"""A conda environment is read from its records; pip's traces in it are found."""

import hashlib
import json
from pathlib import Path

import pytest

from pipedoctor.collect.environment.conda import conda
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Clobbered, Conda, CondaPackage, UnreadableError

SITE = "lib/python3.11/site-packages"
FORGE = "https://conda.anaconda.org/conda-forge/linux-64"


def quiet(_doing: str) -> None:
    """Nobody watches."""


def read(prefix: Path) -> Conda:
    return conda(Machine(environ={}), EnvironmentChoice(env=str(prefix)), quiet)


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "conda-meta/history").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    (tmp_path / SITE).mkdir(parents=True)
    return tmp_path


def install(prefix: Path, name: str, version: str, *, installer: str = "conda") -> Path:
    """Put a Python package there as conda does, and give back its metadata folder."""
    folder = prefix / SITE / f"{name}-{version}.dist-info"
    folder.mkdir()
    (folder / "INSTALLER").write_text(installer)
    (folder / "RECORD").write_text("x.py,,\n")
    anchor = f"{SITE}/{folder.name}/RECORD"
    digest = hashlib.sha256((folder / "RECORD").read_bytes()).hexdigest()
    entry = {"_path": anchor, "path_type": "hardlink", "sha256_in_prefix": digest}
    record = {
        "name": name,
        "channel": FORGE,
        "files": ["bin/x", anchor],
        "paths_data": {"paths": [entry]},
    }
    file = prefix / "conda-meta" / f"{name}-{version}-py311h1_0.json"
    file.write_text(json.dumps(record))
    return folder


@pytest.mark.parametrize("installer", ["conda", "pip"])
def test_untouched_environment(prefix: Path, installer: str) -> None:
    install(prefix, "numpy", "1.26.4", installer=installer)

    seen = read(prefix)

    record = CondaPackage(name="numpy", version="1.26.4", build="py311h1_0", channel="conda-forge")
    assert seen == Conda(prefix=str(prefix), packages=(record,))
    assert seen.find("numpy") == record
    assert seen.find("pip") is None


@pytest.mark.parametrize(
    ("channel", "short"),
    [
        (FORGE, "conda-forge"),
        ("https://conda.anaconda.org/conda-forge/noarch", "conda-forge"),
        ("https://repo.anaconda.com/pkgs/main/linux-64", "pkgs/main"),
        ("https://conda.example.org/t/se-cret-token/private/linux-aarch64", "private"),
        ("pypi", "pypi"),
    ],
)
def test_channel_is_told_by_its_name(prefix: Path, channel: str, short: str) -> None:
    file = prefix / "conda-meta/mkl-2024.1-blas_0.json"
    file.write_text(json.dumps({"channel": channel}))

    assert [package.channel for package in read(prefix).packages] == [short]


def test_pip_removed_the_package(prefix: Path) -> None:
    folder = install(prefix, "numpy", "1.26.4")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    (prefix / SITE / "NumPy-2.4.6.dist-info").mkdir()

    assert read(prefix).clobbered == (
        Clobbered(
            name="numpy",
            conda_version="1.26.4",
            pip_version="2.4.6",
            how="anchor missing",
        ),
    )


def test_pip_put_a_second_one_beside_it(prefix: Path) -> None:
    install(prefix, "ruamel.yaml", "0.18.5")
    (prefix / SITE / "ruamel_yaml-0.19.0.dist-info").mkdir()
    (prefix / SITE / "ruamel_yaml_clib-0.2.dist-info").mkdir()

    (found,) = read(prefix).clobbered

    assert (found.name, found.pip_version) == ("ruamel-yaml", "0.19.0")
    assert found.how == "two metadata folders"


def test_pip_installed_the_same_version_over_it(prefix: Path) -> None:
    folder = install(prefix, "numpy", "1.26.4", installer="pip")
    (folder / "RECORD").write_text("numpy/other.py,,\n")

    (found,) = read(prefix).clobbered

    assert found.how == "metadata replaced by pip"


def test_egg_info_file_is_an_anchor_too(prefix: Path) -> None:
    (prefix / SITE / "old-1.0-py3.11.egg-info").touch()
    record = {"files": [f"{SITE}/old-1.0-py3.11.egg-info"]}
    (prefix / "conda-meta/old-1.0-py_0.json").write_text(json.dumps(record))

    assert read(prefix).clobbered == ()

    (prefix / SITE / "old-1.0-py3.11.egg-info").unlink()
    assert [found.name for found in read(prefix).clobbered] == ["old"]


def test_conda_may_call_it_otherwise(prefix: Path) -> None:
    record = {"files": [f"{SITE}/torch-2.4.0-py3.11.egg-info/PKG-INFO"]}
    file = prefix / "conda-meta/pytorch-2.4.0-py3.11_cuda12.4_0.json"
    file.write_text(json.dumps(record))

    (found,) = read(prefix).clobbered

    assert (found.name, found.package) == ("torch", "pytorch")


def test_frozen_and_pinned(prefix: Path) -> None:
    (prefix / "conda-meta/frozen").touch()
    (prefix / "conda-meta/pinned").write_text("numpy <2\npython 3.11.*\n")

    seen = read(prefix)

    assert seen.frozen
    assert seen.pinned == ("numpy <2", "python 3.11.*")


def test_odd_file_names_and_garbage_do_no_harm(prefix: Path) -> None:
    (prefix / "conda-meta/odd.json").write_bytes(b"\xff\x00{")

    assert read(prefix).packages == (CondaPackage(name="odd", version=""),)


def test_no_conda_environment(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()

    with pytest.raises(UnreadableError, match="is not a conda environment"):
        read(tmp_path)
