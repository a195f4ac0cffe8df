"""One way to decode as it is measured, window by window."""

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pipedoctor.bench.decoder import DecoderProcess
from pipedoctor.bench.interval import compute_spread
from pipedoctor.bench.quiet_machine import QuietMeasurement, find_worst_disturbance
from pipedoctor.facts import UnreadableError, Window
from pipedoctor.facts.bench import Quality, Spread
from pipedoctor.facts.bench_decode import REFERENCE_PATH, DecodePath, DecodeTask, Pixels

SCALED_WAYS = frozenset({"PIL draft", "cv2 reduced", "simplejpeg scaled"})
"""Ways that decode at a fraction of the size."""
ALIASED_WAYS = frozenset({"cv2 linear"})
"""Ways whose resize looks at four pixels only, however many there are."""
WindowParts = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class WindowSample:
    """What one window gave, of all processes together."""

    rate: float
    cpu: float
    """Seconds per image."""
    faults: float


@dataclass(eq=False)
class WayMeasurement:
    """A way, the process that knows it, and its samples by round."""

    decoder: DecoderProcess
    way: str
    allocator: str = ""
    processes: int = 1
    passes: int = 1
    samples: dict[int, WindowSample] = field(default_factory=dict[int, WindowSample])
    pixels: Pixels | None = None
    unknown: str = ""
    refused: int = 0
    repeated: int = 0
    windows: list[Window] = field(default_factory=list[Window])

    @property
    def task(self) -> DecodeTask:
        """What it is asked for."""
        return "resize" if self.way.startswith("resize:") else "decode"

    @property
    def name(self) -> str:
        """Its name without the task."""
        return self.way.partition(":")[2]

    def run_window(self, images: list[int], until: float) -> WindowParts:
        """Run one window; raises UnreadableError."""
        return self.decoder.run_command(
            until,
            do="clock",
            way=self.way,
            use=images,
            passes=self.passes,
            processes=self.processes,
        )

    def record_window(
        self, number: int, measurement: QuietMeasurement[WindowParts | UnreadableError]
    ) -> None:
        """
        Enter what a window gave, unless others decided it.

        What one process computes is measured in CPU time, on a busy machine, too.
        """
        if isinstance(measurement.value, UnreadableError):
            self.unknown = str(measurement.value)
            return
        alone = self.processes == 1
        crowded = bool(measurement.refusal)
        self.windows.append(
            replace(measurement.window, tolerated=True) if alone else measurement.window
        )
        self.repeated += measurement.tries - 1
        if crowded and not alone:
            self.refused += 1
            if not self.samples:
                self.unknown = measurement.refusal
            return
        self.unknown = ""
        images = sum(part["images"] for part in measurement.value)
        busy = "cpu" if crowded else "seconds"  # alone on a CPU, both would be the same
        self.samples[number] = WindowSample(
            rate=sum(part["images"] / max(part[busy], 1e-9) for part in measurement.value),
            cpu=sum(part["cpu"] for part in measurement.value) / images,
            faults=sum(part["faults"] for part in measurement.value) / images,
        )

    def compare_with(self, other: "WayMeasurement | None") -> Spread | None:
        """CPU time of the other by that of this one, in rounds that both have."""
        if other is None:
            return None
        both = self.samples.keys() & other.samples.keys()
        return compute_spread([other.samples[n].cpu / self.samples[n].cpu for n in both])

    def build_path(
        self, reference: "WayMeasurement | None", plain: "WayMeasurement | None"
    ) -> DecodePath:
        """As a fact, beside PIL and beside itself with another allocator."""
        samples = list(self.samples.values())
        middle = compute_spread([sample.cpu for sample in samples])
        faults = compute_spread([sample.faults for sample in samples])
        return DecodePath(
            library=self.decoder.library,
            name=self.name,
            task=self.task,
            allocator=self.allocator,
            processes=self.processes,
            antialiased=self.name not in ALIASED_WAYS if self.task == "resize" else None,
            smaller=self.name in SCALED_WAYS,
            rate=compute_spread([sample.rate for sample in samples]),
            ratio=self.compare_with(reference),
            kept=self.compare_with(plain),
            cpu_seconds=middle.value if middle else None,
            faults=faults.value if faults else None,
            pixels=self.pixels,
            unknown=self.unknown if not samples else "",
        )


def summarize_quality(tracks: list[WayMeasurement]) -> Quality:
    """How much others got into it, of all tracks together."""
    return Quality(
        windows=sum(len(track.windows) for track in tracks),
        repeated=sum(track.repeated for track in tracks),
        marked=find_worst_disturbance(window for track in tracks for window in track.windows),
        refused=sum(track.refused for track in tracks),
        why_refused=next((t.unknown for t in tracks if t.refused and t.unknown), ""),
    )


def find_way(
    tracks: list[WayMeasurement], name: str, task: str, processes: int = 1
) -> WayMeasurement | None:
    """The way of this name and task, with the allocator as it is."""
    key = (name, task, processes, "")
    for track in tracks:
        if (track.name, track.task, track.processes, track.allocator) == key:
            return track
    return None


def find_references(
    track: WayMeasurement, tracks: list[WayMeasurement]
) -> tuple[WayMeasurement | None, WayMeasurement | None]:
    """What a way is compared with: PIL, and itself with the allocator as it is."""
    same = (track.task, track.processes)
    reference = find_way(tracks, REFERENCE_PATH, *same)
    plain = find_way(tracks, track.name, *same) if track.allocator else None
    return None if reference is track else reference, plain


def find_fastest(tracks: list[WayMeasurement]) -> WayMeasurement | None:
    """The way to an antialiased image of full size that needs the least CPU."""
    ratios = [
        (path.cpu_seconds, number)
        for number, track in enumerate(tracks)
        if (path := track.build_path(None, None)).antialiased
        and path.cpu_seconds
        and not path.smaller
        and not path.allocator
    ]
    return tracks[min(ratios)[1]] if ratios else None
