"""
The ways to decode an image, by library; run inside the examined interpreter.

Each library is a function that imports it and returns its version and its ways. A way
takes the bytes of a file and returns pixels, or raises. `rgb` turns pixels into width,
height and bytes. Nothing is calculated before the first image, so that a process which
is forked after the import is as good as new.
"""

from __future__ import annotations

import ctypes
import importlib
import io
import struct
from collections.abc import Callable
from typing import Any

TARGET_SIDE = 224
"""Pixels of the resized image's edges, as most image nets take."""
DecodeFunction = Callable[[bytes], Any]
RgbConverter = Callable[[Any], tuple[int, int, bytes]]
DecodeLibrary = tuple[str, dict[str, DecodeFunction], RgbConverter]
"""Version, ways by ``task:name``, and what makes plain pixels of their results."""
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG that tell its size."""


def load_pillow() -> DecodeLibrary:
    """Pillow, whole and in its draft mode."""
    image: Any = importlib.import_module("PIL.Image")
    module: Any = importlib.import_module("PIL")

    def decode(data: bytes) -> Any:
        return image.open(io.BytesIO(data)).convert("RGB")

    def resize(data: bytes) -> Any:
        return decode(data).resize((TARGET_SIDE, TARGET_SIDE), image.BILINEAR)

    def draft(data: bytes) -> Any:
        picture = image.open(io.BytesIO(data))
        picture.draft("RGB", (TARGET_SIDE, TARGET_SIDE))
        return picture.convert("RGB").resize((TARGET_SIDE, TARGET_SIDE), image.BILINEAR)

    def rgb(picture: Any) -> tuple[int, int, bytes]:
        return picture.width, picture.height, picture.tobytes()

    ways: dict[str, DecodeFunction] = {
        "decode:PIL": decode,
        "resize:PIL": resize,
        "resize:PIL draft": draft,
    }
    return str(module.__version__), ways, rgb


def load_opencv() -> DecodeLibrary:
    """OpenCV: its default resize, which skips pixels, and the one that does not."""
    cv2: Any = importlib.import_module("cv2")
    numpy: Any = importlib.import_module("numpy")
    cv2.setNumThreads(1)
    direct = getattr(cv2, "IMREAD_COLOR_RGB", None)

    def read(data: bytes, flag: int) -> Any:
        pixels = cv2.imdecode(numpy.frombuffer(data, numpy.uint8), flag)
        if pixels is None:
            message = "cv2.imdecode returned None"
            raise ValueError(message)
        return pixels

    def decode(data: bytes) -> Any:
        if direct is not None:
            return read(data, direct)
        return cv2.cvtColor(read(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)

    def linear(data: bytes) -> Any:
        return cv2.resize(decode(data), (TARGET_SIDE, TARGET_SIDE), interpolation=cv2.INTER_LINEAR)

    def area(data: bytes) -> Any:
        return cv2.resize(decode(data), (TARGET_SIDE, TARGET_SIDE), interpolation=cv2.INTER_AREA)

    def decode_reduced(data: bytes) -> Any:
        factor = choose_reduction(data)
        flag = getattr(cv2, f"IMREAD_REDUCED_COLOR_{factor}", cv2.IMREAD_COLOR)
        small = cv2.cvtColor(read(data, flag), cv2.COLOR_BGR2RGB)
        return cv2.resize(small, (TARGET_SIDE, TARGET_SIDE), interpolation=cv2.INTER_AREA)

    ways: dict[str, DecodeFunction] = {
        "decode:cv2": decode,
        "resize:cv2 linear": linear,
        "resize:cv2 area": area,
        "resize:cv2 reduced": decode_reduced,
    }
    return str(cv2.__version__), ways, _convert_array


def load_torchvision() -> DecodeLibrary:
    """The decoder in torchvision.io, and torch's antialiased resize."""
    module: Any = importlib.import_module("torchvision")  # fails at once if absent
    torch: Any = importlib.import_module("torch")
    images: Any = importlib.import_module("torchvision.io")

    def decode(data: bytes) -> Any:
        buffer = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        return images.decode_image(buffer, mode=images.ImageReadMode.RGB)

    name = "torchvision"
    return (
        str(module.__version__),
        _build_torch_ways(torch, name, decode),
        _convert_tensor,
    )


def load_torchcodec() -> DecodeLibrary:
    """The decoder of images in torchcodec, which needs no FFmpeg."""
    module: Any = importlib.import_module("torchcodec")
    torch: Any = importlib.import_module("torch")
    decoders: Any = importlib.import_module("torchcodec.decoders")

    def decode(data: bytes) -> Any:
        return decoders.decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8))

    name = "torchcodec"
    return (
        str(module.__version__),
        _build_torch_ways(torch, name, decode),
        _convert_tensor,
    )


def _build_torch_ways(torch: Any, name: str, decode: DecodeFunction) -> dict[str, DecodeFunction]:
    def colors(data: bytes) -> Any:
        pixels = decode(data)
        pixels = pixels[0] if pixels.ndim > 3 else pixels  # noqa: PLR2004  (frames)
        return pixels if pixels.shape[0] == 3 else pixels[:3].expand(3, -1, -1)  # noqa: PLR2004

    def resize(data: bytes) -> Any:
        batch = colors(data).unsqueeze(0)
        shrink = torch.nn.functional.interpolate
        return shrink(batch, size=(TARGET_SIDE, TARGET_SIDE), mode="bilinear", antialias=True)[0]

    return {f"decode:{name}": colors, f"resize:{name}": resize}


def load_simplejpeg() -> DecodeLibrary:
    """Decode with simplejpeg, whole and at the smallest size that still suffices."""
    module: Any = importlib.import_module("simplejpeg")
    shrink = _make_resizer()

    def decode(data: bytes) -> Any:
        return module.decode_jpeg(data, colorspace="RGB")

    def decode_scaled(data: bytes) -> Any:
        return module.decode_jpeg(
            data, colorspace="RGB", min_height=TARGET_SIDE, min_width=TARGET_SIDE
        )

    ways: dict[str, DecodeFunction] = {"decode:simplejpeg": decode}
    if shrink is not None:
        ways["resize:simplejpeg"] = lambda data: shrink(decode(data))
        ways["resize:simplejpeg scaled"] = lambda data: shrink(decode_scaled(data))
    return _read_version(module, "simplejpeg"), ways, _convert_array


def load_turbojpeg() -> DecodeLibrary:
    """PyTurboJPEG, which calls the system's libturbojpeg."""
    module: Any = importlib.import_module("turbojpeg")
    codec = module.TurboJPEG()
    shrink = _make_resizer()

    def decode(data: bytes) -> Any:
        return codec.decode(data, pixel_format=module.TJPF_RGB)

    ways: dict[str, DecodeFunction] = {"decode:PyTurboJPEG": decode}
    if shrink is not None:
        ways["resize:PyTurboJPEG"] = lambda data: shrink(decode(data))
    return _read_version(module, "PyTurboJPEG"), ways, _convert_array


LIBRARIES: dict[str, Callable[[], DecodeLibrary]] = {
    "pillow": load_pillow,
    "opencv": load_opencv,
    "torchvision": load_torchvision,
    "torchcodec": load_torchcodec,
    "simplejpeg": load_simplejpeg,
    "PyTurboJPEG": load_turbojpeg,
}
MODULES = {
    "pillow": "PIL",
    "opencv": "cv2",
    "torchvision": "torchvision",
    "torchcodec": "torchcodec",
    "simplejpeg": "simplejpeg",
    "PyTurboJPEG": "turbojpeg",
}


def choose_reduction(data: bytes) -> int:
    """8, 4, 2 or 1: how much smaller this JPEG may be decoded and still be larger."""
    edge = min(read_jpeg_size(data) or (0, 0))
    return next((n for n in (8, 4, 2) if edge // n >= TARGET_SIDE), 1)


def read_jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height as a JPEG's frame header tells; None: it is no JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data):
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if data[at] != 0xFF:  # noqa: PLR2004  (every marker begins so)
            return None
        if marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + length
    return None


def _make_resizer() -> DecodeFunction | None:
    """Pillow's antialiased resize for arrays, or OpenCV's; these have none."""
    try:
        image: Any = importlib.import_module("PIL.Image")
    except ImportError:
        return None

    def shrink(pixels: Any) -> Any:
        picture = image.fromarray(pixels).resize((TARGET_SIDE, TARGET_SIDE), image.BILINEAR)
        return importlib.import_module("numpy").asarray(picture)

    return shrink


def _convert_array(pixels: Any) -> tuple[int, int, bytes]:
    height, width = pixels.shape[:2]
    return width, height, pixels.tobytes()


def _convert_tensor(pixels: Any) -> tuple[int, int, bytes]:
    _, height, width = pixels.shape
    plain = pixels.permute(1, 2, 0).contiguous()
    size = plain.numel()
    buffer = (ctypes.c_char * size).from_address(plain.data_ptr())
    return width, height, bytes(buffer)


def _read_version(module: Any, distribution: str) -> str:
    found = getattr(module, "__version__", None)
    if found is None:
        found = importlib.import_module("importlib.metadata").version(distribution)
    return str(found)
