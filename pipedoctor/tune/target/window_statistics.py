"""What a window says per batch, and how sure it is."""

from pipedoctor.facts import Costs
from pipedoctor.tune.target.messages import TrialRequest

_ANSWER_SECONDS = 0.5
"""Between the last moment of a window and the host's patience."""


def estimate_rate_error(stamps: list[float], round_size: int) -> float | None:
    """Standard error of the mean batch time, relative, from blocks of whole rounds."""
    rounds = (len(stamps) - 1) // round_size
    blocks = min(10, rounds)
    if blocks < 3:  # noqa: PLR2004  (of two blocks nothing can be said)
        return None
    size = rounds // blocks * round_size
    times = [stamps[(k + 1) * size] - stamps[k * size] for k in range(blocks)]
    middle = sum(times) / blocks
    variance = sum((t - middle) ** 2 for t in times) / (blocks - 1)
    return (variance / blocks) ** 0.5 / middle if middle else None


def divide_by_batches(
    before: list[dict[str, float]], after: list[dict[str, float]]
) -> dict[str, float]:
    """Per batch, over all workers."""
    batches = sum(b["batches"] - a["batches"] for a, b in zip(before, after, strict=True))
    if not batches:
        return {}
    names = [name for name in after[0] if name != "batches"]
    grown = {
        name: sum(b[name] - a[name] for a, b in zip(before, after, strict=True)) for name in names
    }
    return {name: value / batches for name, value in grown.items()}


def average_times(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """Of walls and of CPU times; zeros where there is none."""
    number = len(pairs) or 1
    return sum(wall for wall, _ in pairs) / number, sum(cpu for _, cpu in pairs) / number


def build_costs(
    totals: dict[str, float], batch_seconds: tuple[float, float], next_cpu: float
) -> Costs | None:
    """What a batch costs; None where nothing was recorded."""
    if not totals:
        return None
    wall, cpu = batch_seconds
    return Costs(**totals, receive_wall=wall, receive_cpu=cpu, next_cpu=next_cpu)


def compute_grace(request: TrialRequest, first_step: float) -> float:
    """
    By how many seconds the limits of a trial move after its first step.

    That one may initialize CUDA and make the model: were it counted, the window would be
    too short to use up the batches that were made meanwhile, and their rate is not the
    loader's. The host kills a trial after its patience: that does not move.
    """
    return min(first_step, max(0.0, request.patience - request.limit - _ANSWER_SECONDS))
