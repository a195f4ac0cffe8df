"""torch's build is read from its files, of every age."""

from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.torch_build import torch_build
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Pin, TorchBuild, UnreadableError


def quiet(_doing: str) -> None:
    """Nobody watches."""


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    (tmp_path / "lib/python3.11/site-packages/torch").mkdir(parents=True)
    (tmp_path / "lib/python3.11/os.py").touch()
    return tmp_path


def site(prefix: Path) -> Path:
    return prefix / "lib/python3.11/site-packages"


def read(prefix: Path) -> TorchBuild:
    return torch_build(Machine(environ={}), EnvironmentChoice(env=str(prefix)), quiet)


def wheel(prefix: Path, version: str, metadata: str = "", tag: str = "") -> None:
    folder = site(prefix) / f"torch-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n{metadata}\n\nText\n"
        "Requires-Dist: nvidia-not-a-header==1\n"
    )
    if tag:
        (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")


def test_default_wheel_of_today(prefix: Path) -> None:
    (site(prefix) / "torch/version.py").write_text(
        "from typing import Optional\n__version__ = '2.13.0+cu130'\n"
        "debug = False\ncuda: Optional[str] = '13.0'\ngit_version = 'x'\n"
        "hip: Optional[str] = None\nxpu: Optional[str] = None\n"
    )
    pins = (
        'Requires-Dist: nvidia-cudnn-cu13==9.20.0.48; platform_system == "Linux"\n'
        'Requires-Dist: cuda-toolkit[cublas]==13.0.2; platform_system == "Linux"\n'
        "Requires-Dist: sympy>=1.13.3\nRequires-Python: >=3.10"
    )
    wheel(prefix, "2.13.0", pins, "cp311-cp311-manylinux_2_28_x86_64")

    assert read(prefix) == TorchBuild(
        version="2.13.0",
        local="cu130",
        cuda="13.0",
        location=str(site(prefix) / "torch"),
        origin="version.py",
        wheel_tag="cp311-cp311-manylinux_2_28_x86_64",
        pins=(
            Pin(name="nvidia-cudnn-cu13", version="9.20.0.48"),
            Pin(name="cuda-toolkit", version="13.0.2"),
        ),
        requires_python=">=3.10",
    )


def test_file_of_2021_has_no_annotations(prefix: Path) -> None:
    (site(prefix) / "torch/version.py").write_text(
        "__version__ = '1.8.1+cpu'\ndebug = True\ncuda = None\nhip = None\n"
    )

    build = read(prefix)

    assert (build.version, build.local, build.is_cpu_only) == ("1.8.1", "cpu", True)
    assert build.debug


@pytest.mark.parametrize(
    ("line", "field"),
    [("hip = '7.2'", "hip"), ("rocm = '7.2'", "hip"), ("xpu = '1'", "xpu")],
)
def test_other_backends_are_no_cpu_builds(prefix: Path, line: str, field: str) -> None:
    text = f"__version__ = '2.13.0'\ncuda = None\nhip = None\n{line}\n"
    (site(prefix) / "torch/version.py").write_text(text)

    build = read(prefix)

    assert getattr(build, field)
    assert not build.is_cpu_only


def test_damaged_version_file_leaves_the_metadata(prefix: Path) -> None:
    (site(prefix) / "torch/version.py").write_text("__version__ = (\0")
    wheel(prefix, "2.6.0")

    build = read(prefix)

    assert (build.version, build.origin, build.known_backend) == (
        "2.6.0",
        "METADATA",
        False,
    )
    assert not build.is_cpu_only


def test_conda_build_string(prefix: Path) -> None:
    (site(prefix) / "torch/version.py").write_text("__version__ = '2.5.1'\ncuda = '12.4'\n")
    (prefix / "conda-meta").mkdir()
    name = "pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json"
    (prefix / "conda-meta" / name).touch()

    assert read(prefix).conda_build == "py3.11_cuda12.4_cudnn9.1.0_0"


def test_no_torch(prefix: Path) -> None:
    with pytest.raises(UnreadableError, match="torch is not installed in "):
        read(prefix)
