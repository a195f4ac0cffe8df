"""The recipe of prefetching: every batch in order, and on a GPU every tensor of a nested batch."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.docs.conftest import code

torch = pytest.importorskip("torch")


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
