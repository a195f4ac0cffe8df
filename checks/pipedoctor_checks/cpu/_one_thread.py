"""The measured gain of one thread for numpy's BLAS."""

from collections.abc import Iterable

from pipedoctor.check import Confidence, Finding, Gain, Remedy, Severity
from pipedoctor.facts import BenchLoader, OneThread


def report_thread_gain(
    benchmark: BenchLoader, gain: OneThread, remedies: Iterable[Remedy]
) -> Finding:
    """Report that the loader is certainly faster with one thread."""
    ratio = gain.ratio
    return Finding(
        severity=Severity.SLOWS,
        confidence=Confidence.CERTAIN,
        summary=f"{benchmark.target} is {ratio.value:.2f} times as fast with"
        f" {' and '.join(f'{name}=1' for name in gain.variables)}",
        evidence={
            "ratio": [ratio.low, ratio.value, ratio.high],
            "samples_per_second": [gain.before.value, gain.after.value],
            "cpu_seconds_per_batch": [gain.cpu_before, gain.cpu_after],
            "measured": benchmark.host.created,
        },
        gain=Gain.from_speedup(ratio, "fraction of the loader's time"),
        remedies=tuple(remedies),
    )
