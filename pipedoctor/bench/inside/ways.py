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

SIDE = 224
"""Pixels of the resized image's edges, as most image nets take."""
Way = Callable[[bytes], Any]
Rgb = Callable[[Any], tuple[int, int, bytes]]
Library = tuple[str, dict[str, Way], Rgb]
"""Version, ways by ``task:name``, and what makes plain pixels of their results."""
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG that tell its size."""


def pillow() -> Library:
    """Pillow, whole and in its draft mode."""
    image: Any = importlib.import_module("PIL.Image")
    module: Any = importlib.import_module("PIL")

    def decode(data: bytes) -> Any:
        return image.open(io.BytesIO(data)).convert("RGB")

    def resize(data: bytes) -> Any:
        return decode(data).resize((SIDE, SIDE), image.BILINEAR)

    def draft(data: bytes) -> Any:
        picture = image.open(io.BytesIO(data))
        picture.draft("RGB", (SIDE, SIDE))
        return picture.convert("RGB").resize((SIDE, SIDE), image.BILINEAR)

    def rgb(picture: Any) -> tuple[int, int, bytes]:
        return picture.width, picture.height, picture.tobytes()

    ways: dict[str, Way] = {
        "decode:PIL": decode,
        "resize:PIL": resize,
        "resize:PIL draft": draft,
    }
    return str(module.__version__), ways, rgb


def opencv() -> Library:
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
        return cv2.resize(decode(data), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)

    def area(data: bytes) -> Any:
        return cv2.resize(decode(data), (SIDE, SIDE), interpolation=cv2.INTER_AREA)

    def reduced(data: bytes) -> Any:
        factor = reduction(data)
        flag = getattr(cv2, f"IMREAD_REDUCED_COLOR_{factor}", cv2.IMREAD_COLOR)
        small = cv2.cvtColor(read(data, flag), cv2.COLOR_BGR2RGB)
        return cv2.resize(small, (SIDE, SIDE), interpolation=cv2.INTER_AREA)

    ways: dict[str, Way] = {
        "decode:cv2": decode,
        "resize:cv2 linear": linear,
        "resize:cv2 area": area,
        "resize:cv2 reduced": reduced,
    }
    return str(cv2.__version__), ways, _of_array


def torchvision() -> Library:
    """The decoder in torchvision.io, and torch's antialiased resize."""
    module: Any = importlib.import_module("torchvision")  # fails at once if absent
    torch: Any = importlib.import_module("torch")
    images: Any = importlib.import_module("torchvision.io")

    def decode(data: bytes) -> Any:
        buffer = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        return images.decode_image(buffer, mode=images.ImageReadMode.RGB)

    name = "torchvision"
    return str(module.__version__), _with_torch(torch, name, decode), _of_tensor


def torchcodec() -> Library:
    """The decoder of images in torchcodec, which needs no FFmpeg."""
    module: Any = importlib.import_module("torchcodec")
    torch: Any = importlib.import_module("torch")
    decoders: Any = importlib.import_module("torchcodec.decoders")

    def decode(data: bytes) -> Any:
        return decoders.decode_image(
            torch.frombuffer(bytearray(data), dtype=torch.uint8)
        )

    name = "torchcodec"
    return str(module.__version__), _with_torch(torch, name, decode), _of_tensor


def _with_torch(torch: Any, name: str, decode: Way) -> dict[str, Way]:
    def colours(data: bytes) -> Any:
        pixels = decode(data)
        pixels = pixels[0] if pixels.ndim > 3 else pixels  # noqa: PLR2004  (frames)
        return pixels if pixels.shape[0] == 3 else pixels[:3].expand(3, -1, -1)  # noqa: PLR2004

    def resize(data: bytes) -> Any:
        batch = colours(data).unsqueeze(0)
        shrink = torch.nn.functional.interpolate
        return shrink(batch, size=(SIDE, SIDE), mode="bilinear", antialias=True)[0]

    return {f"decode:{name}": colours, f"resize:{name}": resize}


def simplejpeg() -> Library:
    """Decode with simplejpeg, whole and at the smallest size that still suffices."""
    module: Any = importlib.import_module("simplejpeg")
    shrink = _shrinker()

    def decode(data: bytes) -> Any:
        return module.decode_jpeg(data, colorspace="RGB")

    def scaled(data: bytes) -> Any:
        return module.decode_jpeg(
            data, colorspace="RGB", min_height=SIDE, min_width=SIDE
        )

    ways: dict[str, Way] = {"decode:simplejpeg": decode}
    if shrink is not None:
        ways["resize:simplejpeg"] = lambda data: shrink(decode(data))
        ways["resize:simplejpeg scaled"] = lambda data: shrink(scaled(data))
    return _version(module, "simplejpeg"), ways, _of_array


def turbojpeg() -> Library:
    """PyTurboJPEG, which calls the system's libturbojpeg."""
    module: Any = importlib.import_module("turbojpeg")
    codec = module.TurboJPEG()
    shrink = _shrinker()

    def decode(data: bytes) -> Any:
        return codec.decode(data, pixel_format=module.TJPF_RGB)

    ways: dict[str, Way] = {"decode:PyTurboJPEG": decode}
    if shrink is not None:
        ways["resize:PyTurboJPEG"] = lambda data: shrink(decode(data))
    return _version(module, "PyTurboJPEG"), ways, _of_array


LIBRARIES: dict[str, Callable[[], Library]] = {
    "pillow": pillow,
    "opencv": opencv,
    "torchvision": torchvision,
    "torchcodec": torchcodec,
    "simplejpeg": simplejpeg,
    "PyTurboJPEG": turbojpeg,
}
MODULES = {
    "pillow": "PIL",
    "opencv": "cv2",
    "torchvision": "torchvision",
    "torchcodec": "torchcodec",
    "simplejpeg": "simplejpeg",
    "PyTurboJPEG": "turbojpeg",
}


def reduction(data: bytes) -> int:
    """8, 4, 2 or 1: how much smaller this JPEG may be decoded and still be larger."""
    edge = min(size_of(data) or (0, 0))
    return next((n for n in (8, 4, 2) if edge // n >= SIDE), 1)


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height as a JPEG's frame header tells; None: it is no JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data):
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if data[at] != 0xFF:  # noqa: PLR2004  (every marker begins so)
            return None
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + length
    return None


def _shrinker() -> Way | None:
    """Pillow's antialiased resize for arrays, or OpenCV's; these have none."""
    try:
        image: Any = importlib.import_module("PIL.Image")
    except ImportError:
        return None

    def shrink(pixels: Any) -> Any:
        picture = image.fromarray(pixels).resize((SIDE, SIDE), image.BILINEAR)
        return importlib.import_module("numpy").asarray(picture)

    return shrink


def _of_array(pixels: Any) -> tuple[int, int, bytes]:
    height, width = pixels.shape[:2]
    return width, height, pixels.tobytes()


def _of_tensor(pixels: Any) -> tuple[int, int, bytes]:
    _, height, width = pixels.shape
    plain = pixels.permute(1, 2, 0).contiguous()
    size = plain.numel()
    buffer = (ctypes.c_char * size).from_address(plain.data_ptr())
    return width, height, bytes(buffer)


def _version(module: Any, distribution: str) -> str:
    found = getattr(module, "__version__", None)
    if found is None:
        found = importlib.import_module("importlib.metadata").version(distribution)
    return str(found)
