"""Every library gives 224 x 224 pixels in the order R, G, B; libraries stand in."""

import io
import sys
from types import ModuleType
from typing import Any

import pytest

from pipedoctor.bench.programs import decoders

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
pillow = pytest.importorskip("PIL.Image")

COLOUR = (200, 100, 50)


def jpeg(width: int = 640, height: int = 480) -> bytes:
    stream = io.BytesIO()
    pillow.new("RGB", (width, height), COLOUR).save(stream, "JPEG", quality=95)
    return stream.getvalue()


def decoded(data: bytes) -> Any:
    return numpy.asarray(pillow.open(io.BytesIO(data)).convert("RGB"))


def tensor(buffer: Any, **_: Any) -> Any:
    return torch.from_numpy(decoded(bytes(buffer.numpy())).copy()).permute(2, 0, 1)


def frames(buffer: Any) -> Any:
    return torch.stack([tensor(buffer), tensor(buffer)])


def flipped(data: Any, flag: int) -> Any:
    assert flag in {1, 17}
    return decoded(bytes(data))[:, :, ::-1]


def resized(pixels: Any, size: tuple[int, int], interpolation: int) -> Any:
    assert interpolation in {2, 3}
    return numpy.asarray(pillow.fromarray(pixels).resize(size))


def turned(pixels: Any, code: int) -> Any:
    assert code == 4
    return numpy.ascontiguousarray(pixels[:, :, ::-1])


def scaled(data: bytes, **_: Any) -> Any:
    return decoded(data)


def nothing(_data: Any, _flag: int) -> None:
    return None


class Codec:
    """What PyTurboJPEG has."""

    def decode(self, data: bytes, pixel_format: int) -> Any:
        assert pixel_format == 7
        return decoded(data)


MODULES: dict[str, dict[str, Any]] = {
    "torchvision": {"__version__": "0.28"},
    "torchvision.io": {
        "decode_image": tensor,
        "ImageReadMode": type("Mode", (), {"RGB": "RGB"}),
    },
    "torchcodec": {"__version__": "0.17"},
    "torchcodec.decoders": {"decode_image": frames},
    "cv2": {
        "__version__": "4.8",
        "IMREAD_COLOR": 1,
        "IMREAD_REDUCED_COLOR_2": 17,
        "COLOR_BGR2RGB": 4,
        "INTER_LINEAR": 2,
        "INTER_AREA": 3,
        "setNumThreads": abs,
        "imdecode": flipped,
        "cvtColor": turned,
        "resize": resized,
    },
    "simplejpeg": {
        "__version__": "1.9",
        "decode_jpeg": scaled,
    },
    "turbojpeg": {"__version__": "2.0", "TurboJPEG": Codec, "TJPF_RGB": 7},
}


@pytest.fixture
def _libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in MODULES.items():
        module = ModuleType(name)
        for key, value in content.items():
            setattr(module, key, value)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.usefixtures("_libraries")
@pytest.mark.parametrize("library", decoders.LIBRARIES)
def test_every_way_gives_the_same_colors(library: str) -> None:
    version, known, rgb = decoders.LIBRARIES[library]()

    assert version
    assert any(name.startswith("decode:") for name in known)
    assert any(name.startswith("resize:") for name in known)
    for name, way in known.items():
        width, height, plain = rgb(way(jpeg()))
        size = (224, 224) if name.startswith("resize:") else (640, 480)
        assert (width, height) == size, name
        assert len(plain) == width * height * 3
        assert all(abs(a - b) <= 3 for a, b in zip(plain[:3], COLOUR, strict=True)), name


@pytest.mark.usefixtures("_libraries")
def test_opencv_that_reads_nothing_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["cv2"], "imdecode", nothing)
    _, known, _ = decoders.load_opencv()

    with pytest.raises(ValueError, match="imdecode returned None"):
        known["decode:cv2"](b"")


@pytest.mark.parametrize(
    ("size", "factor"),
    [((4000, 1792), 8), ((4000, 1791), 4), ((448, 448), 2), ((447, 900), 1)],
)
def test_how_much_smaller_it_may_be_decoded(size: tuple[int, int], factor: int) -> None:
    data = jpeg(*size)

    assert decoders.read_jpeg_size(data) == size
    assert decoders.choose_reduction(data) == factor


@pytest.mark.parametrize(
    "data",
    [b"", b"\x89PNG", b"\xff\xd8", b"\xff\xd8\x00\x00\x00\x00\x00\x00\x00\x00\x00"],
)
def test_what_is_no_jpeg_has_no_size(data: bytes) -> None:
    assert decoders.read_jpeg_size(data) is None
    assert decoders.choose_reduction(data) == 1
