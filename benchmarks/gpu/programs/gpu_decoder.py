"""torchvision's JPEG decoder on the GPU beside the one on the CPU: ``gpu_decoder.py DEVICE``."""

import importlib
import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from PIL import Image

SECONDS, BATCH, SIDE = 4.0, 64, (500, 375)


def make_photos() -> list[torch.Tensor]:
    """Generated photographs, encoded."""
    photos: list[torch.Tensor] = []
    for seed in range(BATCH):
        generator = torch.Generator().manual_seed(seed)
        small = torch.randint(0, 255, (47, 63, 3), generator=generator, dtype=torch.uint8)
        file = io.BytesIO()
        Image.fromarray(small.numpy()).resize(SIDE).save(file, "jpeg", quality=90)
        photos.append(torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8))
    return photos


def measure_rate(decode: Callable[[], object]) -> float:
    """Images a second, after one batch that does not count."""
    decode()
    began, batches = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        decode()
        batches += 1
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return batches * BATCH / (time.perf_counter() - began)


def main() -> None:
    """Both, as far as they are there."""
    rates: dict[str, float] = {}
    unknown: dict[str, str] = {}
    try:
        decode_jpeg: Any = importlib.import_module("torchvision.io").decode_jpeg
    except (ImportError, AttributeError) as error:
        print(json.dumps({"rates": {}, "unknown": {"torchvision": str(error)}}))
        return
    photos = make_photos()
    ways: dict[str, Callable[[], object]] = {
        "torchvision on one CPU": lambda: [decode_jpeg(photo) for photo in photos]
    }
    if sys.argv[1] == "cuda":
        ways["torchvision on the GPU"] = lambda: decode_jpeg(photos, device="cuda")
    else:
        unknown["torchvision on the GPU"] = "no GPU"
    for name, decode in ways.items():
        try:
            rates[name] = measure_rate(decode)
        except (RuntimeError, TypeError) as error:  # noqa: PERF203  (two of them)
            unknown[name] = str(error).splitlines()[0]
    print(json.dumps({"rates": rates, "unknown": unknown}))


if __name__ == "__main__":
    main()
