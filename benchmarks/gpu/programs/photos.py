"""Make JPEGs as a dataset: ``photos.py FOLDER COUNT``, by all CPUs."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = (500, 375)
PER_TASK = 100


def make_some(folder: str, first: int, last: int) -> int:
    """Photographs with these numbers: soft shapes and some noise."""
    random = np.random.default_rng(first)
    for number in range(first, last):
        small = random.integers(0, 255, (12, 16, 3), dtype=np.uint8)
        image = Image.fromarray(small).resize(SIDE, Image.Resampling.BICUBIC)
        noise = random.integers(0, 24, (SIDE[1], SIDE[0], 1), dtype=np.uint8)
        pixels = np.minimum(np.asarray(image).astype(np.uint16) + noise, 255).astype(np.uint8)
        Image.fromarray(pixels).save(Path(folder) / f"{number:05}.jpg", quality=88)
    return last - first


def main() -> None:
    """All of them."""
    folder, count = sys.argv[1], int(sys.argv[2])
    Path(folder).mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(
        os.process_cpu_count() if hasattr(os, "process_cpu_count") else None
    ) as pool:
        jobs = [
            pool.submit(make_some, folder, first, min(first + PER_TASK, count))
            for first in range(0, count, PER_TASK)
        ]
        print(sum(job.result() for job in jobs))


if __name__ == "__main__":
    main()
