"""Every recipe runs as it stands on its page, and does what the page says."""

import importlib
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
pillow = pytest.importorskip("PIL.Image")

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"


def code(page: str) -> str:
    (block,) = re.findall(
        r"^```python\n(.*?)^```",
        (RECIPES / page).read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return str(block)


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The page's code as a module, as its reader would have it."""

    def load(page: str) -> Any:
        name = page.removesuffix(".md").replace("-", "_")
        (tmp_path / f"{name}.py").write_text(code(page))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return importlib.import_module(name)

    return load


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
    tested = set(re.findall(r'recipe\("([\w-]+\.md)"\)', Path(__file__).read_text()))

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


def test_prefetching_gives_every_batch_in_order(recipe: Callable[[str], Any]) -> None:
    module = recipe("prefetch-to-gpu.md")
    loader = [torch.full((2,), number) for number in range(4)]

    found = list(module.Prefetcher(loader, torch.device("cpu")))

    assert [int(batch[0]) for batch in found] == [0, 1, 2, 3]
    assert list(module.Prefetcher([], torch.device("cpu"))) == []


@pytest.mark.gpu
def test_prefetching_on_a_gpu(recipe: Callable[[str], Any]) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    module = recipe("prefetch-to-gpu.md")
    device = torch.device("cuda")
    loader = [torch.full((1 << 22,), number).pin_memory() for number in range(8)]

    sums = [batch.sum() for batch in module.Prefetcher(loader, device)]

    assert [int(total) >> 22 for total in sums] == list(range(8))


class Pair(NamedTuple):
    """Two of a batch, by their names."""

    image: Any
    label: Any


def nested(number: int, size: int = 2) -> dict[str, Any]:
    """A batch as collate functions make them: tensors at every depth, and others."""
    one = torch.full((size,), number)
    return {
        "pair": Pair(one, [one + 1, {"mask": one + 2}]),
        "sizes": (one + 3, 7),
        "names": ["a.jpg", "b.jpg"],
    }


def sums(batch: dict[str, Any]) -> list[float]:
    first, (second, inner) = batch["pair"]
    tensors = (first, second, inner["mask"], batch["sizes"][0])
    return [float(tensor.double().mean()) for tensor in tensors]


class Recorder:
    """A stream that writes down what happens on it."""

    def __init__(self, said: list[str]) -> None:
        self.said = said

    def wait_stream(self, _other: object) -> None:
        self.said.append("wait")

    def __enter__(self) -> None:
        self.said.append("side")

    def __exit__(self, *_: object) -> None:
        """Back on the main stream."""


def test_prefetching_reaches_every_tensor_of_a_nested_batch(
    recipe: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both streams are stand-ins: what a GPU would be told is written down."""
    module = recipe("prefetch-to-gpu.md")
    said: list[str] = []

    def stream(_device: object) -> Recorder:
        return Recorder(said)

    def on(side: Recorder) -> Recorder:
        return side

    def record(*_: object) -> None:
        said.append("record")

    monkeypatch.setattr(torch.cuda, "Stream", stream)
    monkeypatch.setattr(torch.cuda, "current_stream", stream)
    monkeypatch.setattr(torch.cuda, "stream", on)
    monkeypatch.setattr(torch.Tensor, "record_stream", record)
    prefetcher = module.Prefetcher([nested(0), nested(10)], torch.device("cpu"))
    prefetcher.side = Recorder(said)

    first, second = prefetcher

    arrived = ["wait", *["record"] * 4]
    assert said == ["side", *arrived, "side", *arrived]
    assert (sums(first), sums(second)) == ([0, 1, 2, 3], [10, 11, 12, 13])
    assert isinstance(first["pair"], Pair)
    assert isinstance(first["pair"].label, list)
    assert first["sizes"][1] == 7
    assert first["names"] == ["a.jpg", "b.jpg"]
    assert sums(next(iter(module.Prefetcher([nested(5)], torch.device("cpu"))))) == [
        *(5, 6, 7, 8),
    ]


@pytest.mark.gpu
def test_prefetching_nested_batches_on_a_gpu(recipe: Callable[[str], Any]) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    module = recipe("prefetch-to-gpu.md")

    def pinned(tensor: Any) -> Any:
        return tensor.pin_memory()

    loader = [module.mapped(nested(number, 1 << 22), pinned) for number in range(8)]

    found = [sums(one) for one in module.Prefetcher(loader, torch.device("cuda"))]

    assert found == [[n, n + 1, n + 2, n + 3] for n in range(8)]


def test_the_gpu_recipe_calls_what_torch_has() -> None:
    """What no CPU can run at least compiles, and names nothing that is not there."""
    text = code("prefetch-to-gpu.md")
    compile(text, "prefetch-to-gpu.md", "exec")

    for name in re.findall(r"torch\.((?:cuda\.)?\w+)", text):
        owner = torch.cuda if name.startswith("cuda.") else torch
        assert hasattr(owner, name.removeprefix("cuda.")), name
    assert callable(torch.cuda.Stream.wait_stream)
    assert callable(torch.Tensor.record_stream)


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
