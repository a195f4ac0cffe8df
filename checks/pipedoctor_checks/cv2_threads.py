"""PDR309: does OpenCV use all CPUs in each worker?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.edits import every, rewritten
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, spots

_ALONE = {
    *("VideoCapture", "VideoWriter", "imwrite", "line", "circle", "ellipse"),
    *("rectangle", "polylines", "fillPoly", "fillConvexPoly", "putText", "Rodrigues"),
    *("getAffineTransform", "getRotationMatrix2D", "getPerspectiveTransform"),
    *("boundingRect", "contourArea", "minAreaRect", "boxPoints"),
}
"""They draw, write, or compute a few numbers, in one thread."""


@check("PDR309", "OpenCV starts threads in each worker")
def cv2_threads(source: Source, /) -> Findings:
    """
    Look for OpenCV in code for items of a project that never limits its threads.

    ## Why it hurts

    Each worker lets OpenCV use as many threads as there are CPUs, and they fight: 200
    items with four workers on two CPUs took 0.80 s, with one thread 0.45 s.

    ## How it is judged

    Code for items calls functions of OpenCV that do more than draw or compute a few
    numbers, and `cv2.setNumThreads` is called nowhere in the project.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/1355
    - https://docs.opencv.org/4.x/db/de0/group__core__utils.html
    """
    events = source.per_item("cv2")
    shared = {event.name.removeprefix("cv2.") for event in events} - _ALONE
    files = {event.at.path: event for event in reversed(events)}
    if shared and "setNumThreads" not in source.traits:
        yield at(
            spots(events),
            Severity.NOTE,
            "OpenCV is used in workers, each with as many threads as there are CPUs",
            in_code(
                "Limit it in each worker",
                "cv2.setNumThreads(0)  # in worker_init_fn",
                edits=every(rewritten(one) for one in files.values()),
                unsafe="OpenCV then uses one thread in the main process as well",
            ),
            confidence=Confidence.POSSIBLE,
            counterfactual=Counterfactual(one_thread=True),
            calls=sorted({event.name for event in events}),
        )
