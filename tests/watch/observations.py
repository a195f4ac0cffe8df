"""What was seen of jobs."""

from typing import Any

from pipedoctor.facts import (
    FetchShares,
    HotLine,
    KernelWait,
    MainShares,
    Observation,
    WorkerShares,
)

HOT = HotLine(path="train.py", line=9, function="get", share=0.9)
READS = KernelWait(call="pread64", path="/d/x", mount="/d", fstype="nfs4", device="s:/e", share=0.9)
LATE = MainShares(waiting=0.6, receiving=0.05, blocked=0.35)
BUSY = WorkerShares(idle=0.05, fetching=0.9, collating=0.05)
COMPUTES = FetchShares(running=0.9, delayed=0.05, waiting=0.05, samples=100)
WAITS = FetchShares(running=0.08, delayed=0.02, waiting=0.9, samples=100)


def seen(**more: Any) -> Observation:
    usual: dict[str, Any] = {
        "seconds": 10.0,
        "samples": 200,
        "workers": 2,
        "main": LATE,
        "worker": BUSY,
        "fetch": COMPUTES,
        "cpus": 2.0,
        "hot": HOT,
    }
    return Observation(**usual | more)
