"""The compiled module that an interpreter takes is told by its name."""

from pathlib import Path

import pytest

from pipedoctor.collect.environment.extension import pick_extension
from pipedoctor.collect.shared_libraries.library_version import find_version, identify_jpeg

FREE = "_imaging.cpython-311t-x86_64-linux-gnu.so"
LINUX = "_imaging.cpython-311-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        ([LINUX], LINUX),
        (["_imaging.abi3.so", LINUX], LINUX),
        (["_imaging.so", "_imaging.abi3.so"], "_imaging.abi3.so"),
        (["_imaging.so"], "_imaging.so"),
        (["_imaging.cp311-win_amd64.pyd"], "_imaging.cp311-win_amd64.pyd"),
        (["_imaging.cpython-311-darwin.so"], "_imaging.cpython-311-darwin.so"),
        ([FREE], FREE),
        (["_imaging.cpython-310-x86_64-linux-gnu.so"], ""),
        (["_imaging.cp310-win_amd64.pyd"], ""),
        (["_imaging.pyi"], ""),
        ([], ""),
    ],
)
def test_taken(names: list[str], taken: str) -> None:
    found = pick_extension(map(Path, names), "3.11.7")

    assert (found.name if found else "") == taken


def touch(path: Path, data: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_version_in_the_real_name(tmp_path: Path) -> None:
    touch(tmp_path / "libcudnn.so.9.23.1")
    (tmp_path / "libcudnn.so.9").symlink_to("libcudnn.so.9.23.1")

    assert find_version(tmp_path / "libcudnn.so.9") == "9.23.1"


@pytest.mark.parametrize(
    ("library", "owners", "said"),
    [
        ("libcusparse.so.12", ["nvidia_cusparse_cu12-12.5.8.93"], "12.5.8.93"),
        ("libcusparseLt.so.0", ["nvidia_cusparselt_cu13-0.8.0"], "0.8.0"),
        ("libcublasLt.so.13", ["nvidia_cublas-13.1.0.3"], "13.1.0.3"),
        ("libcudnn.so.9", ["nvidia_cudnn_cu12-9.1", "nvidia_cudnn_cu13-9.2"], ""),
        ("libcudnn.so.9", ["nvidia_nccl_cu12-2.27"], ""),
        ("libgomp.so.1", ["nvidia_nccl_cu12-2.27"], ""),
    ],
)
def test_version_of_the_wheel(tmp_path: Path, library: str, owners: list[str], said: str) -> None:
    for owner in owners:
        (tmp_path / f"site-packages/{owner}.dist-info").mkdir(parents=True)

    file = touch(tmp_path / "site-packages/nvidia/x/lib" / library)

    assert find_version(file) == said


def test_no_wheel_no_version(tmp_path: Path) -> None:
    assert find_version(touch(tmp_path / "libcudnn.so.9")) == ""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\0libjpeg-turbo version 3.2.0 (build 20261016)\0", "turbo 3.2.0"),
        (b"\0Copyright (C) 2022, Thomas G. Lane, Guido Vollbeding\0", "IJG"),
        (b"\0something else\0", ""),
    ],
)
def test_jpeg_libraries_say_what_they_are(tmp_path: Path, data: bytes, said: str) -> None:
    assert identify_jpeg(touch(tmp_path / "libjpeg.so.8", data)) == said


def test_a_jpeg_library_that_cannot_be_read(tmp_path: Path) -> None:
    assert identify_jpeg(tmp_path) == ""
