"""Every recipe runs as it stands on its page, and does what the page says."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.docs.conftest import RECIPES, code

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
pillow = pytest.importorskip("PIL.Image")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "photos"
    folder.mkdir()
    paths = [folder / f"{number}.png" for number in range(6)]
    for number, path in enumerate(paths):
        pillow.new("RGB", (40, 30), (number * 40, 7, 9)).save(path)
    return paths


def batches(dataset: Any, workers: int = 2) -> list[Any]:
    loader = torch.utils.data.DataLoader(dataset, batch_size=2, num_workers=workers)
    return list(loader)


def reds(found: list[Any]) -> list[int]:
    return [int(image[0, 0, 0]) for batch in found for image in batch]


def test_every_recipe_is_listed_and_tested() -> None:
    pages = {path.name for path in RECIPES.glob("*.md")} - {"README.md"}
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (RECIPES / "README.md").read_text()))
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*recipe*.py"))
    tested = set(re.findall(r'recipe\("([\w-]+\.md)"\)', tests))

    assert pages == listed == tested


def test_findings_name_recipes_that_there_are() -> None:
    checks = Path(__file__).parents[2] / "checks" / "pipedoctor_checks"
    text = "".join(path.read_text("utf-8") for path in sorted(checks.rglob("*.py")))

    named = {f"{name}.md" for name in re.findall(r"recipe ([a-z]+(?:-[a-z]+)+)", text)}
    pages = {path.name for path in RECIPES.glob("*.md")} - {"README.md"}
    assert pages - named == {"prefetch-to-gpu.md"}  # no fact tells what it would hide
    assert named <= pages


def test_preloaded_pixels_are_shared(recipe: Callable[[str], Any], files: list[Path]) -> None:
    module = recipe("preload-to-a-tensor.md")

    dataset = module.Preloaded(files, side=8, threads=2)

    assert dataset.pixels.is_shared()
    assert dataset[0].shape == (3, 8, 8)
    assert reds(batches(dataset)) == [0, 40, 80, 120, 160, 200]
    assert int(dataset[3][2, 5, 5]) == 9


def test_the_cache_is_built_once_and_read_in_workers(
    recipe: Callable[[str], Any], files: list[Path], tmp_path: Path
) -> None:
    module = recipe("decoded-cache-on-disk.md")
    cache = tmp_path / "cache.npy"

    module.build(files, cache, side=8)
    written = cache.stat().st_mtime_ns
    module.build(files, cache, side=8)
    dataset = module.Decoded(cache)
    first = dataset[1]

    assert cache.stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.glob("cache*")] == ["cache.npy"]
    assert int(first[0, 0, 0]) == 40
    assert vars(pickle.loads(pickle.dumps(dataset)))["_pixels"] is None
    assert reds(batches(dataset)) == [0, 40, 80, 120, 160, 200]


class Compressed:
    """Arrays in compressed files, each with its number."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Any:
        return numpy.load(self.files[index])["sound"], index


class Halved(Compressed):
    """The same without numbers."""

    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index)[0] / 2


def test_items_of_any_kind_are_kept_as_they_were_decoded(
    recipe: Callable[[str], Any], tmp_path: Path
) -> None:
    module = recipe("keep-items-of-any-kind.md")
    files = [tmp_path / f"{number}.npz" for number in range(40)]
    for number, path in enumerate(files):
        numpy.savez_compressed(path, sound=numpy.full(5, number, numpy.float32))
    both, one = tmp_path / "both", tmp_path / "one"

    module.build(Compressed(files), both, workers=2)
    module.build(Halved(files), one, workers=0)
    written = (both / "0.npy").stat().st_mtime_ns
    module.build(Compressed(files), both)
    dataset = module.Kept(both)

    assert (both / "0.npy").stat().st_mtime_ns == written
    assert len(dataset) == 40
    sound, number = dataset[39]
    assert (sound.dtype, sound.tolist(), int(number)) == (torch.float32, [39] * 5, 39)
    assert vars(pickle.loads(pickle.dumps(dataset)))["_parts"] is None
    sounds, numbers = zip(*batches(dataset), strict=True)
    assert torch.cat(numbers).tolist() == list(range(40))
    assert torch.cat(sounds)[:, 4].tolist() == list(range(40))
    assert module.Kept(one)[3].tolist() == [1.5] * 5


def test_shards_stay_loaded(recipe: Callable[[str], Any], tmp_path: Path) -> None:
    module = recipe("lru-per-worker.md")
    shards = [tmp_path / f"{number}.pt" for number in range(3)]
    for number, path in enumerate(shards):
        torch.save(torch.full((2, 1), number), path)
    dataset = module.Shards(shards, each=2, keep=2)

    for index in (0, 1, 0, 2, 4):
        dataset[index].add_(100)

    state = cast("dict[str, Any]", vars(dataset))
    assert tuple(state["_load"].cache_info()) == (2, 3, 2, 2)
    assert [int(dataset[index]) for index in range(6)] == [0, 0, 1, 1, 2, 2]
    assert vars(pickle.loads(pickle.dumps(dataset)))["_load"] is None
    assert torch.cat(batches(dataset)).flatten().tolist() == [0, 0, 1, 1, 2, 2]


def test_staging_copies_continues_and_refuses(
    recipe: Callable[[str], Any],
    files: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = recipe("stage-to-local-disk.md")
    source, target = files[0].parent, tmp_path / "local"

    assert module.stage(source, target, threads=2) == target
    assert {path.name for path in target.iterdir()} == {
        ".staged",
        *(path.name for path in files),
    }
    (target / ".staged").unlink()
    (target / "0.png").write_bytes(b"half")
    kept = (target / "1.png").stat().st_mtime_ns
    module.stage(source, target)
    assert (target / "0.png").read_bytes() == files[0].read_bytes()
    assert (target / "1.png").stat().st_mtime_ns == kept
    assert module.stage(source, target, local_rank=3) == target
    with pytest.raises(TimeoutError, match="did rank 0 fail"):
        module.stage(source, tmp_path / "never", local_rank=3, patience=0)

    monkeypatch.setattr(module.shutil, "disk_usage", full)
    with pytest.raises(OSError, match="has no room for"):
        module.stage(source, tmp_path / "other")


def test_every_file_is_read_into_the_page_cache(
    recipe: Callable[[str], Any], files: list[Path], tmp_path: Path
) -> None:
    module = recipe("warm-the-page-cache.md")
    source = files[0].parent
    (source / "deep").mkdir()
    large = source / "deep" / "large.bin"
    large.write_bytes(bytes((1 << 20) + 7))
    (source / "gone").symlink_to(tmp_path / "nothing")

    whole = sum(path.stat().st_size for path in (*files, large))
    assert module.warm(source, threads=2) == whole
    assert module.read(tmp_path / "nothing") == 0


class Room:
    """A disk that is full."""

    free = 0


def full(_path: Path) -> type[Room]:
    return Room


def test_our_own_checks_find_nothing_in_the_recipes(tmp_path: Path) -> None:
    for path in RECIPES.glob("*-*.md"):
        (tmp_path / f"{path.stem.replace('-', '_')}.py").write_text(code(path.name))

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pipedoctor",
            "check",
            ".",
            "--quick",
            "--no-config",
            "--select",
            "PDR1,PDR2,PDR3,PDR4,PDR5,PDR6",
            "--fail-on",
            "slows",
        ],
        capture_output=True,
        check=False,
        text=True,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout
