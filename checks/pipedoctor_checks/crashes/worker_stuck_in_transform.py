"""PDR937: A worker does not return from a sample."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "worker_stuck_in_transform"
_LOOK = (
    in_code(
        "Find out what the worker is doing; then run the same index without workers",
        "dataset[index]  # with num_workers=0",
    ),
    in_code("Fail early, and report the worker", "DataLoader(..., timeout=120)"),
)
_TIMES, _LEAST = 5, 600
_SHORT = 120
"""Seconds below which a batch may well be late, without any worker being stuck."""
_WHY_LATE = {
    "network-files": "the network file system of the log answers late at times",
    "pressure": "the storage of the log is overloaded at times",
}


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """A timeout that slow storage, or one large sample, exceeds at times is too short."""
    seconds = log.find_value(_CAUSE, "seconds")
    seen = log.find_ids(_CAUSE)
    why = next((text for name, text in _WHY_LATE.items() if name in seen), "")
    if not seconds or not (why or float(seconds) < _SHORT):
        return _LOOK
    longer = max(round(_TIMES * float(seconds)), _LEAST)
    why = why or f"{float(seconds):g} s are short for a batch; if no batch comes, a worker is stuck"
    wait = in_code(f"Wait longer: {why}", f"DataLoader(..., timeout={longer})")
    return (wait, _LOOK[0])


@log_check(
    "PDR937",
    "A worker does not return from a sample",
    summary="Code of the dataset or a transform takes longer than the timeout, or never returns",
    remedies=_choose_remedies,
)
def worker_stuck_in_transform() -> None:
    """
    Find code in a worker that never returns, or only after the timeout.

    ## Why it hurts

    One sample that takes forever stops the whole loader, because batches are delivered
    in order.

    ## How it is judged

    The loader's timeout fired, or the log shows a worker that is busy in a transform,
    or a hang that also occurs without workers.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/dmlc/dgl/issues/4509
    """
