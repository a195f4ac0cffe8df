"""A Python environment of which every file can be something else."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

SITE = "lib/python3.11/site-packages"
METADATA_FILES = (
    f"{SITE}/evil.pth",
    f"{SITE}/torch-2.5.0.dist-info/METADATA",
    f"{SITE}/torch-2.5.0.dist-info/RECORD",
    f"{SITE}/torch-2.5.0.dist-info/INSTALLER",
    f"{SITE}/torch-2.5.0.dist-info/WHEEL",
    f"{SITE}/torch-2.5.0.dist-info/top_level.txt",
    f"{SITE}/torch-2.5.0.dist-info/direct_url.json",
    f"{SITE}/torch-2.5.0.dist-info/entry_points.txt",
    f"{SITE}/torch/version.py",
    f"{SITE}/torch/_C.cpython-311-x86_64-linux-gnu.so",
    f"{SITE}/torch/lib/libtorch.so",
    f"{SITE}/odd.egg-info/PKG-INFO",
    f"{SITE}/PIL/_imaging.cpython-311-x86_64-linux-gnu.so",
    f"{SITE}/PIL/_version.py",
    f"{SITE}/pillow-11.0.0.dist-info/METADATA",
    "include/python3.11/patchlevel.h",
    "conda-meta/history",
    "conda-meta/pinned",
    "conda-meta/torch-2.5.0-py311_0.json",
    "pyvenv.cfg",
)
Spoil = Callable[[Path], None]


def make_environment(folder: Path) -> Path:
    """An environment as pip makes it, whose interpreter ends at once."""
    for name in METADATA_FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (folder / f"{SITE}/torch-2.5.0.dist-info/METADATA").write_text("Name: torch\nVersion: 2.5.0\n")
    (folder / f"{SITE}/pillow-11.0.0.dist-info/METADATA").write_text("Name: pillow\nVersion: 11\n")
    (folder / f"{SITE}/numpy-2.0.0.dist-info").mkdir()
    (folder / f"{SITE}/numpy-2.0.0.dist-info/METADATA").write_text("Name: numpy\nVersion: 2.0\n")
    (folder / "conda-meta/torch-2.5.0-py311_0.json").write_text("{}")
    (folder / "lib/python3.11/os.py").write_text("")
    (folder / "pyvenv.cfg").write_text("version = 3.11.7\n")
    program = folder / "bin/python"
    program.parent.mkdir()
    shutil.copy("/bin/true", program)
    return folder


def make_pipe(path: Path) -> None:
    """Whoever opens it waits for a writer."""
    path.unlink()
    os.mkfifo(path)


def link_zeros(path: Path) -> None:
    """Whoever reads it never comes to an end."""
    path.unlink()
    path.symlink_to("/dev/zero")


def make_sparse(path: Path) -> None:
    """16 GiB that take no room."""
    os.truncate(path, 16 << 30)


def link_to_itself(path: Path) -> None:
    """No such file, and an error of its own."""
    path.unlink()
    path.symlink_to(path.name)


def make_folder(path: Path) -> None:
    """A folder where a file should be."""
    path.unlink()
    path.mkdir()


def fill_lines(path: Path) -> None:
    """The most lines for the least bytes."""
    path.write_bytes(b"\n" * (20 << 20))


def spoil_all(folder: Path, spoil: Spoil) -> Path:
    """Every file of the environment but its interpreter."""
    for name in METADATA_FILES:
        spoil(folder / name)
    return folder


def remove(folder: Path) -> None:
    """Sparse files slow down what looks for leftovers."""
    shutil.rmtree(folder)
