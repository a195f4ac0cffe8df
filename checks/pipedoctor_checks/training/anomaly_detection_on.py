"""PDR413: is the anomaly detection of autograd left on?"""

from collections.abc import Iterator

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.program import AnomalyDetection
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_file,
    list_spots,
    make_code_finding,
)


@check("PDR413", "The anomaly detection of autograd is left on", fix="code")
def anomaly_detection_on(source: Source, /) -> Findings:
    """
    Look for anomaly detection that is on in every run.

    ## Why it hurts

    Autograd keeps the Python traceback of each operation, and asks of each gradient that it
    computes whether it has a NaN; on a GPU the host waits for each answer. torch's
    documentation asks to enable it only for debugging, because it slows the program down.

    ## How it is judged

    `torch.autograd.set_detect_anomaly(True)`, `torch.autograd.detect_anomaly()` or Lightning's
    `Trainer(detect_anomaly=True)` is called, under no condition but a main guard, and not in a
    test. It is not reported where an option decides, or where the same file also switches it
    off.

    ## Bad example

    ```python
    torch.autograd.set_detect_anomaly(True)
    for images, labels in loader:
        criterion(model(images), labels).backward()
    ```

    ## Good example

    ```python
    torch.autograd.set_detect_anomaly(args.debug)
    for images, labels in loader:
        criterion(model(images), labels).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    - https://github.com/pytorch/pytorch/blob/main/torch/csrc/autograd/engine.cpp
    """
    for group in group_by_file(source.select_events(AnomalyDetection)):
        left_on = list(_select_left_on(group))
        if left_on:
            yield make_code_finding(
                list_spots(left_on),
                Severity.SLOWS,
                "Anomaly detection of autograd is on in every run",
                in_code(
                    "Switch it on only to find a NaN",
                    edits=combine_edits(replace_pieces(one, {"mode": "False"}) for one in left_on),
                    unsafe="a NaN in a backward pass no longer raises an error",
                ),
                confidence=Confidence.LIKELY,
            )


def _select_left_on(group: list[Event[AnomalyDetection]]) -> Iterator[Event[AnomalyDetection]]:
    """Of a file that only switches it on: where this happens in every run."""
    if all(event.details.on for event in group):
        yield from (one for one in group if _runs_always(one))


def _runs_always(event: Event[AnomalyDetection]) -> bool:
    return not event.handler and all("__name__" in guard for guard in event.guards)
