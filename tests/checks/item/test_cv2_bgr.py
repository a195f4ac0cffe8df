"""PDR203: blue and red are swapped."""

from pipedoctor_checks.item.cv2_bgr import cv2_bgr
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "turned": frames("x = cv2.cvtColor(cv2.imread(index), cv2.COLOR_BGR2RGB)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "turned by a slice": frames("x = cv2.imread(index)[..., ::-1]")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "grey": frames("x = cv2.imread(index, cv2.IMREAD_GRAYSCALE)")
    + "\nMEAN = (0.485, 0.456, 0.406)\n",
    "statistics of its own": frames("x = cv2.imread(index)"),
}
SPEAKS = {
    "statistics of ImageNet": frames("x = cv2.imread(index)") + "\nMEAN = (0.485, 0.456, 0.406)\n"
}
test_silent, test_speaks = make_tests(cv2_bgr, SILENT, SPEAKS)
