"""A tuning as one self-contained page, in the style of the report."""

from collections.abc import Iterator

import msgspec

from pipedoctor.facts import Setting
from pipedoctor.report.html_page import render_page as render_template
from pipedoctor.tune.model.predict import Prediction, is_same_load
from pipedoctor.tune.output.json import compute_stage_seconds
from pipedoctor.tune.output.text import (
    describe_answer,
    describe_confidence,
    describe_gain,
    describe_waits,
    describe_windows,
    find_frontier,
    format_memory,
    format_recommended,
)
from pipedoctor.tune.search.tuning import Tuning
from pipedoctor.units import format_size

_BAR_PIXELS = 120
_SHADES = 5
_FRONTIER_COLUMNS = (
    "num_workers",
    "prefetch_factor",
    "samples/s",
    "/dev/shm",
    "memory",
    "descriptors",
)


class StageRow(msgspec.Struct, frozen=True):
    """A stage with the length of its bar in pixels."""

    name: str
    shown: str
    width: int


class MapCell(msgspec.Struct, frozen=True):
    """A setting on the map; `kind` are its classes."""

    text: str = ""
    kind: str = ""
    title: str = ""


class MapRow(msgspec.Struct, frozen=True):
    """The settings with one number of workers."""

    head: int
    cells: tuple[MapCell, ...]


class SpeedMap(msgspec.Struct, frozen=True):
    """Settings by workers, downward, and prefetch_factor: few columns fit any window."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[MapRow, ...]


def render_page(tuning: Tuning) -> str:
    """The page; everything that came from outside is escaped."""
    answer = describe_answer(tuning)
    return render_template(
        f"{answer} - pipedoctor",
        "tune.html.jinja",
        styles=("tune.css",),
        target=tuning.request.target,
        answer=answer,
        worst="unknown" if tuning.undecided_reason else "well",
        line=format_recommended(tuning),
        sentences=tuple(_list_sentences(tuning)),
        bottleneck=tuning.bottleneck.name,
        reason=tuning.bottleneck.reason,
        stages=tuple(_list_stages(tuning)),
        maps=tuple(_list_maps(tuning)),
        frontier_columns=_FRONTIER_COLUMNS,
        frontier=tuple(_list_frontier(tuning)),
        limits=tuning.remarks,
        windows=describe_windows(tuning),
    )


def _list_sentences(tuning: Tuning) -> Iterator[str]:
    if tuning.interrupted:
        yield "Interrupted: results so far."
    if tuning.undecided_reason:
        yield f"Inconclusive: {tuning.undecided_reason}"
    yield from filter(None, (describe_gain(tuning), describe_waits(tuning)))
    yield describe_confidence(tuning)


def _list_stages(tuning: Tuning) -> Iterator[StageRow]:
    found = compute_stage_seconds(tuning) or {}
    total = sum(found.values()) or 1.0
    for name, seconds in found.items():
        yield StageRow(name, f"{seconds * 1e3:.3f} ms", round(_BAR_PIXELS * seconds / total))


def _list_maps(tuning: Tuning) -> Iterator[SpeedMap]:
    for in_order in (True, False):
        chosen = [p for p in tuning.predictions if p.setting.in_order is in_order]
        if chosen:
            yield _build_map(chosen, tuning.choice.setting, in_order=in_order)


def _build_map(guesses: list[Prediction], choice: Setting, *, in_order: bool) -> SpeedMap:
    cells = {(p.setting.num_workers, p.setting.prefetch_factor): p for p in guesses}
    columns = sorted({prefetch for _, prefetch in cells if prefetch})
    most = max(p.samples_per_second for p in guesses)
    rows = (
        MapRow(
            workers,
            tuple(
                _build_cell(
                    _find_prediction(cells, workers, column, first=not number), most, choice
                )
                for number, column in enumerate(columns)
            ),
        )
        for workers in sorted({workers for workers, _ in cells})
    )
    order = "" if in_order else ", in_order=False"
    return SpeedMap(f"Samples per second{order}", tuple(map(str, columns)), tuple(rows))


def _find_prediction(
    cells: dict[tuple[int, int | None], Prediction], workers: int, column: int, *, first: bool
) -> Prediction | None:
    """Without workers there is nothing to prefetch: that stands in the first column."""
    return cells.get((workers, column)) or (cells.get((workers, None)) if first else None)


def _build_cell(prediction: Prediction | None, most: float, choice: Setting) -> MapCell:
    if prediction is None:
        return MapCell()
    shade = max(1, round(_SHADES * prediction.samples_per_second / most)) if most else 1
    kinds = [f"shade-{min(shade, _SHADES)}"]
    kinds += ["measured"] * prediction.measured
    kinds += ["best"] * is_same_load(prediction.setting, choice)
    how = "measured" if prediction.measured else "predicted"
    return MapCell(
        f"{prediction.samples_per_second:.0f}",
        " ".join(kinds),
        f"{how}: {prediction.low:.0f} to {prediction.high:.0f}",
    )


def _list_frontier(tuning: Tuning) -> Iterator[tuple[object, ...]]:
    for guess in find_frontier(tuning.predictions):
        yield (
            guess.setting.num_workers,
            guess.setting.prefetch_factor or "",
            f"{guess.samples_per_second:.0f}",
            format_size(guess.shm_bytes),
            format_memory(guess.final_memory_bytes),
            guess.descriptors,
        )
