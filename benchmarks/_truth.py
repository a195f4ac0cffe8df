"""What a prediction is compared with: rates at the time of the probe."""

import statistics
from typing import Any

WorkloadRow = dict[str, Any]
_OF_MEDIAN = 1.25
"""Standard error of a median, against that of a mean."""
ALL = 3
"""Windows that every setting has."""
BEFORE = 2
"""Windows of the grid before the model is asked; clocks drift, so the others follow."""


def rates_at_probe(row: WorkloadRow, *, drift: bool = True) -> list[float]:
    """
    The rate of every setting of the grid as it was when the model was probed.

    The speed of a machine that is shared with others drifts: by a common factor for
    all settings that are measured one after the other. It is divided out; without
    `drift` it is not.
    """
    cells = row["grid"]["cells"]
    amid = row["whatif"].get("after", BEFORE) == BEFORE  # else nobody knows the drift
    if not (drift and amid):
        return [float(cell["rate"]) for cell in cells]
    speeds = _round_speeds(cells)
    probed = (speeds[BEFORE - 1] * speeds[BEFORE]) ** 0.5
    return [statistics.median(_divide_out_drift(cell, speeds)) * probed for cell in cells]


def round_drift(row: WorkloadRow) -> float:
    """The fastest round against the slowest one, less one."""
    speeds = _round_speeds(row["grid"]["cells"])[:ALL]
    return max(speeds) / min(speeds) - 1


def rate_errors(row: WorkloadRow) -> list[float]:
    """Relative standard errors of the rates that predictions are compared with."""
    speeds = _round_speeds(row["grid"]["cells"])
    even = [_divide_out_drift(cell, speeds) for cell in row["grid"]["cells"]]
    return sorted(
        _OF_MEDIAN * statistics.stdev(rates) / len(rates) ** 0.5 / statistics.median(rates)
        for rates in even
    )


def _round_speeds(cells: list[WorkloadRow]) -> list[float]:
    """How fast the machine was in each round, by all settings that it measured."""
    usual = [statistics.median(cell["windows"][:ALL]) for cell in cells]
    rounds = max(len(cell["windows"]) for cell in cells)
    found: list[float] = []
    for number in range(rounds):
        rates = [
            cell["windows"][number] / middle
            for cell, middle in zip(cells, usual, strict=True)
            if len(cell["windows"]) > number
        ]
        found.append(statistics.median(rates))
    return found


def _divide_out_drift(cell: WorkloadRow, speeds: list[float]) -> list[float]:
    windows: list[float] = cell["windows"]
    return [rate / speed for rate, speed in zip(windows, speeds, strict=False)]
