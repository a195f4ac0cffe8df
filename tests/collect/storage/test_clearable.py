"""What could be removed where room is short."""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.clearable import list_caches, list_old_checkpoints
from pipedoctor.units import MiB


def fill(path: Path, size: int = 2 * MiB) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\0" * size)
    return path


def look(home: Path, **environ: str) -> dict[str, tuple[str, int, int]]:
    machine = Machine(system="linux", environ=environ)
    found = list_caches(machine, str(home), home.stat().st_dev, lambda _: None)
    return {one.path: (one.kind, one.bytes, one.files) for one in found}


def test_caches_of_the_home_and_of_variables(tmp_path: Path) -> None:
    fill(tmp_path / ".cache/pip/http/a")
    fill(tmp_path / ".cache/uv/small", 9)
    fill(tmp_path / ".cache/huggingface/hub/unused")
    fill(tmp_path / "models/hub/m")
    fill(tmp_path / "weights/hub/checkpoints/w.pth")
    (tmp_path / ".triton").mkdir()
    (tmp_path / ".triton/cache").symlink_to(tmp_path / "models")

    found = look(
        tmp_path,
        HF_HOME=str(tmp_path / "models"),
        TORCH_HOME=str(tmp_path / "weights"),
        UV_CACHE_DIR="relative",
    )

    assert found == {
        str(tmp_path / ".cache/pip"): ("pip", 2 * MiB, 1),
        str(tmp_path / "models/hub"): ("hugging-face", 2 * MiB, 1),
        str(tmp_path / "weights/hub/checkpoints"): ("torch-hub", 2 * MiB, 1),
    }


def test_what_an_environment_links_too_frees_nothing(tmp_path: Path) -> None:
    root = tmp_path / "conda"
    linked = fill(root / "pkgs/torch/lib.so", 4 * MiB)
    fill(root / "pkgs/torch.conda")
    (root / "envs").mkdir()
    (root / "envs/lib.so").hardlink_to(linked)

    found = look(tmp_path, CONDA_EXE=str(root / "bin/conda"), XDG_CACHE_HOME=str(tmp_path))

    assert found == {str(root / "pkgs"): ("conda", 2 * MiB, 1)}


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="one file system")
def test_a_cache_on_another_file_system_frees_nothing(tmp_path: Path) -> None:
    fill(tmp_path / ".cache/pip/a")
    machine = Machine(system="linux", environ={})

    elsewhere = Path("/dev/shm").stat().st_dev

    assert list_caches(machine, str(tmp_path), elsewhere, lambda _: None) == []


def test_the_newest_checkpoint_of_a_folder_stays(tmp_path: Path) -> None:
    for age, name in enumerate(["a/new.pt", "a/old.pt", "a/older.ckpt", "b/only.pth"]):
        os.utime(fill(tmp_path / name), (10_000 - age, 10_000 - age))
    fill(tmp_path / "a/data.bin")
    fill(tmp_path / "a/tiny.pt", 9)

    found = list_old_checkpoints(tmp_path, lambda _: None)

    assert [Path(one.path).name for one in found] == ["older.ckpt", "old.pt"]
