"""The measured gain of one thread for numpy's BLAS."""

from collections.abc import Iterable

from pipedoctor.check import Confidence, Finding, Gain, Remedy, Severity
from pipedoctor.facts import BenchLoader, OneThread


def report_thread_gain(
    measured: BenchLoader, found: OneThread, remedies: Iterable[Remedy]
) -> Finding:
    """Report that the loader is certainly faster with one thread."""
    ratio = found.ratio
    return Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.CERTAIN,
        summary=f"{measured.target} is {ratio.value:.2f} times as fast with"
        f" {' and '.join(f'{name}=1' for name in found.variables)}",
        evidence={
            "ratio": [ratio.low, ratio.value, ratio.high],
            "samples_per_second": [found.before.value, found.after.value],
            "cpu_seconds_per_batch": [found.cpu_before, found.cpu_after],
            "measured": measured.host.created,
        },
        gain=Gain.from_speedup(ratio, "fraction of the loader's time"),
        remedies=tuple(remedies),
    )
