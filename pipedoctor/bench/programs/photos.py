"""
Make JPEGs that cost a decoder what photographs cost; as a program.

Run inside the examined interpreter with width, height and a number. Gradients, noise
of several scales and hard edges, from fixed seeds; written by whichever library can.
"""

from __future__ import annotations

import importlib
import io
import os
import random
import struct
import sys
from collections.abc import Callable  # noqa: TC003  (not worth a condition)
from typing import Any

JPEG_QUALITY = 90
_LENGTH = struct.Struct("<I")
_NOISE_SCALES = (4, 8, 16, 32, 64)
_SHAPE_COUNT = 8
LIBRARY_ERRORS = (
    ImportError,
    OSError,  # a library of its own that is missing, an encoder that is
    AttributeError,
    KeyError,  # Pillow without JPEG
    RuntimeError,
    TypeError,
    ValueError,  # numpy of another binary interface
)
"""Of a library that is broken, or of another version."""


def make_pillow_painter() -> Callable[[int, int, int], bytes]:
    """Let Pillow alone draw it."""
    image: Any = importlib.import_module("PIL.Image")
    draw: Any = importlib.import_module("PIL.ImageDraw")

    def make(width: int, height: int, seed: int) -> bytes:
        dice = random.Random(seed)  # noqa: S311  (no secret)
        picture = image.linear_gradient("L").resize((width, height)).convert("RGB")
        for scale in _NOISE_SCALES:
            small = (max(2, width * scale // 128), max(2, height * scale // 128))
            bands = [
                image.frombytes("L", small, dice.randbytes(small[0] * small[1])) for _ in range(3)
            ]
            noise = image.merge("RGB", bands).resize((width, height), image.BICUBIC)
            picture = image.blend(picture, noise, 0.7 / scale**0.5)
        pen = draw.Draw(picture)
        for _ in range(_SHAPE_COUNT):
            x, y = dice.randrange(width), dice.randrange(height)
            edge = dice.randrange(height // 20 + 1, height // 4 + 2)
            color = tuple(dice.randbytes(3))
            pen.ellipse((x, y, x + edge, y + edge), fill=color)
        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=JPEG_QUALITY)
        return stream.getvalue()

    return make


def make_numpy_painter() -> Callable[[int, int, int], bytes]:
    """Let numpy draw it, and OpenCV or simplejpeg write it."""
    numpy: Any = importlib.import_module("numpy")
    encode = _make_encoder(numpy)

    def make(width: int, height: int, seed: int) -> bytes:
        dice = numpy.random.default_rng(seed)
        down, right = numpy.mgrid[0:height, 0:width]
        picture = 128 + 60 * ((down / height) - (right / width))[..., None]
        picture = picture + numpy.zeros((height, width, 3))
        for scale in _NOISE_SCALES:
            rows = numpy.minimum(down * scale // 128, height)
            columns = numpy.minimum(right * scale // 128, width)
            shape = (height * scale // 128 + 1, width * scale // 128 + 1, 3)
            picture += 60 / scale**0.5 * dice.standard_normal(shape)[rows, columns]
        for _ in range(_SHAPE_COUNT):
            y, x = dice.integers(height), dice.integers(width)
            edge = dice.integers(height // 20 + 1, height // 4 + 2)
            picture[y : y + edge, x : x + edge] = dice.integers(0, 255, 3)
        picture += 2.5 * dice.standard_normal((height, width, 1))
        return encode(numpy.clip(picture, 0, 255).astype(numpy.uint8))

    return make


def _make_encoder(numpy: Any) -> Callable[[Any], bytes]:
    try:
        cv2: Any = importlib.import_module("cv2")
    except ImportError:
        simple: Any = importlib.import_module("simplejpeg")
        return lambda pixels: bytes(
            simple.encode_jpeg(numpy.ascontiguousarray(pixels), quality=JPEG_QUALITY)
        )
    option = [int(cv2.IMWRITE_JPEG_QUALITY), JPEG_QUALITY]
    return lambda pixels: bytes(cv2.imencode(".jpg", pixels, option)[1].tobytes())


def main(width: int, height: int, count: int) -> int:
    """Write them to stdout, each behind its length; 3: no library can."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what libraries print is no picture
        for painter in (make_pillow_painter, make_numpy_painter):
            try:
                make = painter()
                pictures = [make(width, height, seed) for seed in range(count)]
            except LIBRARY_ERRORS:  # the next library may do better
                continue
            for data in pictures:
                out.write(_LENGTH.pack(len(data)) + data)
            return 0
    return 3


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4])))
