"""PDR203: blue and red are swapped."""

from pipedoctor_checks.item.cv2_bgr import cv2_bgr
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "turned": frames("x = cv2.cvtColor(cv2.imread(index), cv2.COLOR_BGR2RGB)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "turned by a slice": frames("x = cv2.imread(index)[..., ::-1]")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "turned by NumPy": frames("x = np.flip(cv2.imread(index), axis=-1)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "turned as CHW": frames("x = cv2.imread(index).transpose(2, 0, 1)[::-1]")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "statistics in its order": frames("x = cv2.imread(index)")
    + "\nMEAN = (0.485, 0.456, 0.406)\nBLUE_FIRST = (0.406, 0.456, 0.485)\n",
    "grey": frames("x = cv2.imread(index, cv2.IMREAD_GRAYSCALE)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "statistics of its own": frames("x = cv2.imread(index)"),
}
SPEAKS = {
    "statistics of ImageNet": frames("x = cv2.imread(index)") + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "mirrored": frames("x = cv2.imread(index)[:, ::-1, :]") + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "mirrored by OpenCV": frames("x = cv2.flip(cv2.imread(index), 1)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "mirrored by chance": frames("flip_x = 0.5; x = hflip(cv2.imread(index), flip_x)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
}
test_silent, test_speaks = make_tests(cv2_bgr, SILENT, SPEAKS)
