"""What OpenCV does on this machine: channels backwards, threads of its own."""

from pathlib import Path

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")
image = pytest.importorskip("PIL.Image")


def test_channels_come_backwards_and_the_remedy_turns_them(tmp_path: Path) -> None:
    red = np.zeros((4, 4, 3), np.uint8)
    red[..., 0] = 255
    path = tmp_path / "red.png"
    image.fromarray(red).save(path)
    read = cv2.imread(str(path))

    assert (read[0, 0].tolist(), red[0, 0].tolist()) == ([0, 0, 255], [255, 0, 0])
    assert (cv2.cvtColor(read, cv2.COLOR_BGR2RGB) == red).all()


def test_it_has_as_many_threads_as_there_are_cpus_until_it_is_told() -> None:
    before = cv2.getNumThreads()
    try:
        cv2.setNumThreads(0)
        assert cv2.getNumThreads() <= 1 <= before
    finally:
        cv2.setNumThreads(before)
