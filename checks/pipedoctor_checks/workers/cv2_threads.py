"""PDR309: does OpenCV use all CPUs in each worker?"""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.check.edits import combine_edits, rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.images import OpenCVCall
from pipedoctor_checks._shared.code_finding import list_spots, make_code_finding
from pipedoctor_checks._shared.loader_calls import is_without_workers

_SINGLE_THREADED = {
    *("VideoCapture", "VideoWriter", "imwrite", "line", "circle", "ellipse"),
    *("rectangle", "polylines", "fillPoly", "fillConvexPoly", "putText", "Rodrigues"),
    *("getAffineTransform", "getRotationMatrix2D", "getPerspectiveTransform"),
    *("boundingRect", "contourArea", "minAreaRect", "boxPoints"),
}
"""Functions that draw, write, or compute a few numbers, in one thread."""


@check("PDR309", "OpenCV starts threads in each worker", fix="code", subject="item")
def cv2_threads(source: Source, /) -> Findings:
    """
    Look for OpenCV in code for items of a project that never limits OpenCV's threads.

    ## Why it hurts

    Each worker lets OpenCV start as many threads as there are CPUs, and they compete:
    200 items with four workers on two CPUs took 0.80 s, with one thread 0.45 s.

    ## How it is judged

    Code for items calls OpenCV functions that do more than draw or compute a few numbers, the
    project never calls `cv2.setNumThreads`, and not all of its loaders are without workers (a
    default of an option aside).

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            return cv2.resize(cv2.imread(self.files[index]), (224, 224))
    ```

    ## Good example

    ```python
    cv2.setNumThreads(0)

    class Images(Dataset):
        def __getitem__(self, index):
            return cv2.resize(cv2.imread(self.files[index]), (224, 224))
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/1355
    - https://docs.opencv.org/4.x/db/de0/group__core__utils.html
    """
    events = source.select_item_events(OpenCVCall)
    shared = {event.name.removeprefix("cv2.") for event in events} - _SINGLE_THREADED
    files = {event.at.path: event for event in reversed(events)}
    workless = bool(source.loaders) and all(map(is_without_workers, source.loaders))
    if shared and "setNumThreads" not in source.traits and not workless:
        yield make_code_finding(
            list_spots(events),
            Severity.NOTE,
            "OpenCV is used in workers, and each worker starts as many threads as there are CPUs",
            in_code(
                "Limit OpenCV's threads in each worker",
                "def limit_threads(worker_id):\n    cv2.setNumThreads(0)\n\n\n"
                "DataLoader(..., worker_init_fn=limit_threads)",
                edits=combine_edits(rewrite_pieces(one) for one in files.values()),
                unsafe="OpenCV then uses one thread in the main process as well",
            ),
            confidence=Confidence.POSSIBLE,
            counterfactual=Counterfactual(one_thread=True),
            calls=sorted({event.name for event in events}),
        )
