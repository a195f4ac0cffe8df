"""One way to decode as it is measured, window by window."""

from dataclasses import dataclass, field
from typing import Any

from pipedoctor.bench.decoder import Decoder
from pipedoctor.bench.interval import spread
from pipedoctor.bench.steady import Taken, worst
from pipedoctor.facts import Unreadable, Window
from pipedoctor.facts.bench import Quality, Spread
from pipedoctor.facts.bench_decode import REFERENCE, DecodePath, Pixels, Task

SCALED = frozenset({"PIL draft", "cv2 reduced", "simplejpeg scaled"})
"""Ways that decode at a fraction of the size."""
ALIASED = frozenset({"cv2 linear"})
"""Ways whose resize looks at four pixels only, however many there are."""
Parts = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What one window gave, of all processes together."""

    rate: float
    cpu: float
    """Seconds per image."""
    faults: float


@dataclass(eq=False)
class Track:
    """A way, the process that knows it, and its samples by round."""

    decoder: Decoder
    way: str
    allocator: str = ""
    processes: int = 1
    passes: int = 1
    samples: dict[int, Sample] = field(default_factory=dict[int, Sample])
    pixels: Pixels | None = None
    unknown: str = ""
    refused: int = 0
    repeated: int = 0
    windows: list[Window] = field(default_factory=list[Window])

    @property
    def task(self) -> Task:
        """What it is asked for."""
        return "resize" if self.way.startswith("resize:") else "decode"

    @property
    def name(self) -> str:
        """Its name without the task."""
        return self.way.partition(":")[2]

    def clock(self, use: list[int], until: float) -> Parts:
        """Run one window; raises Unreadable."""
        return self.decoder.ask(
            until,
            do="clock",
            way=self.way,
            use=use,
            passes=self.passes,
            processes=self.processes,
        )

    def take(self, number: int, taken: Taken[Parts | Unreadable]) -> None:
        """Enter what a window gave, unless others decided it."""
        if isinstance(taken.value, Unreadable):
            self.unknown = str(taken.value)
            return
        self.windows.append(taken.window)
        self.repeated += taken.tries - 1
        if taken.refused:
            self.refused += 1
            if not self.samples:
                self.unknown = taken.refused
            return
        self.unknown = ""
        images = sum(part["images"] for part in taken.value)
        self.samples[number] = Sample(
            rate=sum(part["images"] / part["seconds"] for part in taken.value),
            cpu=sum(part["cpu"] for part in taken.value) / images,
            faults=sum(part["faults"] for part in taken.value) / images,
        )

    def against(self, other: "Track | None") -> Spread | None:
        """CPU time of the other by that of this one, in rounds that both have."""
        if other is None:
            return None
        both = self.samples.keys() & other.samples.keys()
        return spread([other.samples[n].cpu / self.samples[n].cpu for n in both])

    def path(self, reference: "Track | None", plain: "Track | None") -> DecodePath:
        """As a fact, beside PIL and beside itself with another allocator."""
        known = list(self.samples.values())
        middle = spread([sample.cpu for sample in known])
        faults = spread([sample.faults for sample in known])
        return DecodePath(
            library=self.decoder.library,
            name=self.name,
            task=self.task,
            allocator=self.allocator,
            processes=self.processes,
            antialiased=self.name not in ALIASED if self.task == "resize" else None,
            smaller=self.name in SCALED,
            rate=spread([sample.rate for sample in known]),
            ratio=self.against(reference),
            kept=self.against(plain),
            cpu_seconds=middle.value if middle else None,
            faults=faults.value if faults else None,
            pixels=self.pixels,
            unknown=self.unknown if not known else "",
        )


def quality(tracks: list[Track]) -> Quality:
    """How much others got into it, of all tracks together."""
    return Quality(
        windows=sum(len(track.windows) for track in tracks),
        repeated=sum(track.repeated for track in tracks),
        marked=worst(window for track in tracks for window in track.windows),
        refused=sum(track.refused for track in tracks),
        why_refused=next((t.unknown for t in tracks if t.refused and t.unknown), ""),
    )


def matching(
    tracks: list[Track], name: str, task: str, processes: int = 1
) -> Track | None:
    """The way of this name and task, with the allocator as it is."""
    wanted = (name, task, processes, "")
    for track in tracks:
        if (track.name, track.task, track.processes, track.allocator) == wanted:
            return track
    return None


def compared(track: Track, tracks: list[Track]) -> tuple[Track | None, Track | None]:
    """What a way is compared with: PIL, and itself with the allocator as it is."""
    same = (track.task, track.processes)
    reference = matching(tracks, REFERENCE, *same)
    plain = matching(tracks, track.name, *same) if track.allocator else None
    return None if reference is track else reference, plain


def fastest(tracks: list[Track]) -> Track | None:
    """The way to an antialiased image of full size that needs the least CPU."""
    known = [
        (path.cpu_seconds, number)
        for number, track in enumerate(tracks)
        if (path := track.path(None, None)).antialiased
        and path.cpu_seconds
        and not path.smaller
        and not path.allocator
    ]
    return tracks[min(known)[1]] if known else None
