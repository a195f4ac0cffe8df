"""`run --inside`: exact clocks in the command's own processes, and what they measured."""

import contextlib
import os
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

import msgspec

from pipedoctor.runtime.regular_file import read_start
from pipedoctor.units import format_count, format_seconds

_VARIABLE = "PIPEDOCTOR_LIVE"
_MAX_FILES, _MAX_FILE_BYTES = 4096, 1 << 20
NOTHING_MEASURED = (
    "inside: nothing was measured: no DataLoader of torch gave a batch in a Python that reads"
    " PYTHONPATH and ended by itself (not by -I, -E, -S or a signal)"
)


class _Figures(msgspec.Struct):
    steps: int
    epochs: int
    wait_seconds: float
    wait_share: float
    wait_p50: float
    wait_p95: float
    wait_p99: float
    first_batch_seconds: float


class _ProcessFigures(msgspec.Struct):
    pid: int
    loaders: list[_Figures]
    rank: int | None = None


class InsideClocks:
    """Clocks for one command: the variables it needs, and what came of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build_environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The same variables, and where Python finds the clocks as it starts."""
        from pipedoctor.live import startup

        path = str(Path(str(startup.__file__)).parent)
        older = inherited.get("PYTHONPATH")
        paths = path if not older else os.pathsep.join((path, older))
        return {**inherited, "PYTHONPATH": paths, _VARIABLE: str(self._folder)}

    def describe_figures(self, nothing: str = NOTHING_MEASURED) -> str:
        """A line for each loader of each process, the longest wait first; `nothing`: of none."""
        rows = [
            (process, figures)
            for process in _read_figures(self._folder)
            for figures in process.loaders
        ]
        if not rows:
            return f"{nothing}\n"
        rows.sort(key=lambda row: -row[1].wait_seconds)
        return "".join(f"{_describe(process, figures)}\n" for process, figures in rows)


def _read_figures(folder: Path) -> list[_ProcessFigures]:
    found: list[_ProcessFigures] = []
    for file in sorted(folder.glob("*.json"))[:_MAX_FILES]:
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            text = read_start(file, _MAX_FILE_BYTES)
            found.append(msgspec.json.decode(text, type=_ProcessFigures))
    return found


def _describe(process: _ProcessFigures, figures: _Figures) -> str:
    who = f"rank {process.rank}" if process.rank is not None else f"process {process.pid}"
    spread = ", ".join(
        f"{name} {format_seconds(value)}"
        for name, value in (
            ("p50", figures.wait_p50),
            ("p95", figures.wait_p95),
            ("p99", figures.wait_p99),
        )
    )
    batches = "1 batch" if figures.steps == 1 else f"{figures.steps} batches"
    return (
        f"inside: {who} waited for data {figures.wait_share:.1%} of the time"
        f" ({format_seconds(figures.wait_seconds)} for {batches}"
        f" in {format_count(figures.epochs, 'epoch')}: {spread}; the first of an epoch"
        f" {format_seconds(figures.first_batch_seconds)})"
    )


@contextlib.contextmanager
def open_clocks() -> Generator[InsideClocks, None, None]:
    """Clocks that leave nothing behind."""
    with tempfile.TemporaryDirectory(prefix="pipedoctor-", ignore_cleanup_errors=True) as folder:
        yield InsideClocks(Path(folder))
