"""What a window says per batch, and how sure it is."""


def spread(stamps: list[float], whole: int) -> float | None:
    """Standard error of the mean batch time, relative, from blocks of whole rounds."""
    rounds = (len(stamps) - 1) // whole
    blocks = min(10, rounds)
    if blocks < 3:  # noqa: PLR2004  (of two blocks nothing can be said)
        return None
    size = rounds // blocks * whole
    times = [stamps[(k + 1) * size] - stamps[k * size] for k in range(blocks)]
    middle = sum(times) / blocks
    variance = sum((t - middle) ** 2 for t in times) / (blocks - 1)
    return (variance / blocks) ** 0.5 / middle if middle else None


def per_batch(
    before: list[dict[str, float]], after: list[dict[str, float]]
) -> dict[str, float]:
    """Per batch, over all workers."""
    batches = sum(
        b["batches"] - a["batches"] for a, b in zip(before, after, strict=True)
    )
    if not batches:
        return {}
    names = [name for name in after[0] if name != "batches"]
    grown = {
        name: sum(b[name] - a[name] for a, b in zip(before, after, strict=True))
        for name in names
    }
    return {name: value / batches for name, value in grown.items()}


def mean(pairs: list[tuple[float, float]]) -> list[float] | None:
    """Of walls and of CPU times; None where there is none."""
    if not pairs:
        return None
    return [sum(pair[k] for pair in pairs) / len(pairs) for k in (0, 1)]
