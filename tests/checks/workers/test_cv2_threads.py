"""PDR309: OpenCV starts threads in each worker."""

import pytest

from pipedoctor_checks.workers.cv2_threads import cv2_threads
from tests.checks.code_samples import find, make_tests, rows_dataset
from tests.checks.image_samples import photo_training

SILENT = {
    "without workers": rows_dataset(item="cv2.resize(x, (9, 9))", workers=0),
    "limited": "cv2.setNumThreads(0)\n" + rows_dataset(item="cv2.imread(index)"),
    "in the main process": rows_dataset() + "\ncv2.imread('x')\n",
}
SPEAKS = {"for items": rows_dataset(item="cv2.resize(x, (9, 9))")}
test_silent, test_speaks = make_tests(cv2_threads, SILENT, SPEAKS)


@pytest.mark.parametrize(("call", "found"), [("cv2.circle(x, y, 3, 2)", 0), ("cv2.remap(x, y)", 1)])
def test_drawing_takes_one_thread(call: str, found: int) -> None:
    assert len(find(cv2_threads, photo_training(first=call))) == found
