"""Test images cost what photographs cost, whichever library makes them."""

import io
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pipedoctor.bench import images
from pipedoctor.bench.programs import photos
from pipedoctor.facts import UnreadableError

pillow = pytest.importorskip("PIL.Image")
numpy = pytest.importorskip("numpy")


def encoded(pixels: Any, **_: Any) -> bytes:
    stream = io.BytesIO()
    pillow.fromarray(numpy.asarray(pixels)).save(stream, "JPEG", quality=90)
    return stream.getvalue()


def written(_suffix: str, pixels: Any, _options: list[int]) -> tuple[bool, Any]:
    return True, numpy.frombuffer(encoded(pixels), numpy.uint8)


def test_pillow_draws_the_same_again() -> None:
    make = photos.make_pillow_painter()

    assert make(96, 64, 1) == make(96, 64, 1)
    assert make(96, 64, 1) != make(96, 64, 2)


@pytest.mark.parametrize("name", ["cv2", "simplejpeg"])
def test_numpy_draws_and_another_library_writes(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    module = ModuleType(name)
    for key, value in {
        "IMWRITE_JPEG_QUALITY": 1,
        "imencode": written,
        "encode_jpeg": encoded,
    }.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, "cv2", module if name == "cv2" else None)
    monkeypatch.setitem(sys.modules, name, module)

    data = photos.make_numpy_painter()(96, 64, 3)

    with pillow.open(io.BytesIO(data)) as picture:
        assert picture.size == (96, 64)
    assert len(data) > 1500


def test_no_library_at_all(tmp_path: Path) -> None:
    for name in ("PIL", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not today')")
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}

    with pytest.raises(UnreadableError, match="can write a JPEG: pass your own images"):
        images.generate_images(sys.executable, environ, (8, 8), 20.0, count=1)


@pytest.mark.parametrize("error", [KeyError("JPEG"), OSError("no encoder"), None])
def test_the_next_library_where_one_cannot(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: Any, error: Exception | None
) -> None:
    def broken() -> Any:
        raise error or ImportError

    def drawn(*_: int) -> bytes:
        return b"jpeg"

    def small() -> Any:
        return drawn

    monkeypatch.setattr(photos, "make_pillow_painter", broken)
    monkeypatch.setattr(photos, "make_numpy_painter", small if error else broken)
    out = os.dup(1)
    try:
        code = photos.main(8, 8, 2)
    finally:
        os.dup2(out, 1)
        os.close(out)

    assert code == (0 if error else 3)
    assert capfdbinary.readouterr().out == (b"\x04\x00\x00\x00jpeg" * 2 if error else b"")
