"""`bench decode`: every library that decodes images here, measured side by side."""

import math
import time
from collections.abc import Mapping
from contextlib import ExitStack

from pipedoctor.bench.decode_order import (
    FAULTS,
    GRACE,
    KEEPING,
    LATE,
    MODULES,
    PARALLEL,
    PASS,
    ROUNDS,
    WINDOW,
    Order,
)
from pipedoctor.bench.decoder import Decoder
from pipedoctor.bench.host import host
from pipedoctor.bench.pixels import MOST as MOST_PIXELS
from pipedoctor.bench.pixels import difference
from pipedoctor.bench.steady import steady
from pipedoctor.bench.track import (
    Parts,
    Track,
    compared,
    fastest,
    matching,
    quality,
)
from pipedoctor.bench.window import Meter
from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Unreadable
from pipedoctor.facts.bench_decode import REFERENCE, BenchDecode, Images, Unread


class Bench:
    """The measurement as far as it has come; `result` can be asked at any time."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._until = order.began + order.budget
        self._meter = order.meter or Meter(order.machine)
        self._names = list(order.found.data)
        self._data = list(order.found.data.values())
        self._failed: dict[str, dict[str, str]] = {}
        self._use: list[int] = []
        self._size: tuple[int, int] | None = None
        self._stack = ExitStack()
        self._decoders: list[Decoder] = []
        self._versions: dict[str, str] = {}
        self._python = ""
        self._broken: dict[str, str] = {}
        self._tracks: list[Track] = []
        self._interrupted = False

    def run(self) -> BenchDecode:
        """Measure until the budget is used; Ctrl-C ends it with what is known."""
        try:
            with self._stack:
                self._measure()
        except KeyboardInterrupt:
            self._interrupted = True
        return self.result()

    def result(self) -> BenchDecode:
        """What is known so far."""
        unreadable = dict(self._order.found.unreadable)
        readers = len(self._failed)
        for name in self._names:
            reasons = [said[name] for said in self._failed.values() if name in said]
            if readers and len(reasons) == readers:
                unreadable[name] = reasons[0]
        width, height = self._size or (None, None)
        chosen = [self._data[number] for number in self._use]
        return BenchDecode(
            host=host(self._order.machine, self._python),
            images=Images(
                count=len(chosen),
                bytes=sum(map(len, chosen)),
                generated=self._order.found.generated,
                width=width,
                height=height,
                unreadable=tuple(
                    Unread(path=legible(name), reason=legible(why))
                    for name, why in unreadable.items()
                ),
            ),
            versions=self._versions,
            broken=self._broken,
            paths=tuple(
                track.path(*compared(track, self._tracks)) for track in self._tracks
            ),
            quality=quality(self._tracks),
            seconds=time.monotonic() - self._order.began,
            interrupted=self._interrupted,
        )

    def _measure(self) -> None:
        opened = self._open(MODULES, {})
        self._check(opened)
        self._compare()
        single = self._until - PARALLEL * self._order.budget
        self._round(0, self._until)
        self._tracks += self._keeping()
        for number in range(1, ROUNDS):
            if not self._room(single):
                break
            self._round(number, single)
        self._together()

    def _open(
        self, libraries: Mapping[str, str], more: Mapping[str, str]
    ) -> dict[Decoder, tuple[str, ...]]:
        """Start them all, then wait for each; those that fail are listed."""
        executable, environ = self._order.executable, self._order.environ
        started: dict[str, Decoder] = {}
        for library in libraries:
            decoder = Decoder(executable, library, {**environ, **more})
            self._stack.callback(decoder.close)
            self._decoders.append(decoder)
            started[library] = decoder
        self._stack.callback(self._hang_up)  # comes before they are closed in turn
        opened: dict[Decoder, tuple[str, ...]] = {}
        half = time.monotonic() + max(GRACE, self._order.budget / 2)
        until = min(half, self._until)
        for library, decoder in started.items():
            self._order.tell(f"import {library}")
            try:
                said = decoder.hello(until)
                decoder.show(self._data, until)
            except Unreadable as error:
                absent = f"No module named '{MODULES[library]}'"
                if absent not in str(error):
                    self._broken[library] = self._why(error)
                continue
            self._versions[library], self._python = said.version, said.python
            opened[decoder] = said.ways
        return opened

    def _check(self, opened: Mapping[Decoder, tuple[str, ...]]) -> None:
        """Try each way on the images; keep those that most of the ways can read."""
        passes: dict[str, float] = {}
        tracks: list[Track] = []
        for decoder, ways in opened.items():
            for way in ways:
                track = Track(decoder, way)
                self._order.tell(f"check {track.name}")
                try:
                    (said,) = decoder.ask(self._patience(), do="check", way=way)
                except Unreadable as error:
                    self._broken[decoder.library] = self._why(error, f"{track.name}: ")
                    break
                names = {int(n): why for n, why in said["failed"].items()}
                self._failed[way] = {self._names[n]: w for n, w in names.items()}
                passes[way] = said["seconds"]
                tracks.append(track)
                if not self._use and len(names) < len(self._data):
                    self._choose(said["seconds"], set(names))
        self._keep(tracks, passes)

    def _choose(self, seconds: float, bad: set[int]) -> None:
        """As many images as are decoded in a fifth of a second, at least one."""
        good = [n for n in range(len(self._data)) if n not in bad]
        most = max(1, int(PASS / max(seconds / len(self._data), 1e-9)))
        self._use = good[:most]

    def _keep(self, tracks: list[Track], passes: Mapping[str, float]) -> None:
        """Leave out, with the reason, ways that cannot read what the others can."""
        counts = {
            number: sum(self._names[number] in self._failed[t.way] for t in tracks)
            for number in self._use
        }
        self._use = [n for n in self._use if 2 * counts[n] <= len(tracks)]
        share = len(self._use) / max(1, len(self._data))
        for track in tracks:
            failed = self._failed[track.way]
            wrong = [n for n in self._use if self._names[n] in failed]
            if wrong:
                name = self._names[wrong[0]]
                track.unknown = f"{name}: {failed[name]}"
            took = max(passes[track.way] * share, 1e-6)
            track.passes = max(1, math.ceil(WINDOW / took))
        self._tracks = tracks if self._use else []

    def _compare(self) -> None:
        """Say how far each way's pixels are from PIL's, on the first image."""
        answers: dict[str, dict[str, object]] = {}
        for track in self._able():
            try:
                (answers[track.way],) = track.decoder.ask(
                    self._patience(),
                    do="pixels",
                    way=track.way,
                    image=self._use[0],
                    most=MOST_PIXELS,
                )
            except Unreadable as error:
                track.unknown = self._why(error)
                continue
            own = answers[track.way]
            theirs = answers.get(f"{track.task}:{REFERENCE}")
            if track.task == "decode" and self._size is None:
                self._size = int(str(own["width"])), int(str(own["height"]))
            if theirs and track.name != REFERENCE:
                track.pixels = difference([(own, theirs)])

    def _keeping(self) -> list[Track]:
        """The ways that fault much, once more with variables that keep memory."""
        found: list[Track] = []
        guilty = [
            t
            for t in self._able()
            if any(s.faults > FAULTS for s in t.samples.values())
        ]
        for library in dict.fromkeys(t.decoder.library for t in guilty):
            more = KEEPING.get(library, KEEPING[""])
            if any(name in self._order.environ for name in more):
                continue
            label = " ".join(f"{name}={value}" for name, value in more.items())
            for decoder in self._open({library: ""}, more):
                found += [
                    Track(decoder, t.way, allocator=label, passes=t.passes)
                    for t in guilty
                    if t.decoder.library == library
                ]
        return found

    def _together(self) -> None:
        """PIL and the fastest comparable way, on every CPU at once."""
        count = host(self._order.machine).effective
        best = fastest(self._able())
        if count < 2 or best is None:  # noqa: PLR2004
            return
        chosen = dict.fromkeys([matching(self._tracks, REFERENCE, "resize"), best])
        several = [
            Track(t.decoder, t.way, t.allocator, processes=count, passes=t.passes)
            for t in chosen
            if t is not None
        ]
        self._tracks += several
        for number in range(ROUNDS):
            if number and not self._room(self._until, several):
                break
            self._round(number, self._until, several)

    def _round(
        self, number: int, until: float, tracks: list[Track] | None = None
    ) -> None:
        """One window of every way, so that whatever drifts drifts for all."""
        for track in self._able() if tracks is None else tracks:
            if until - time.monotonic() < WINDOW + PASS:
                return
            at = f" x{track.processes}" if track.processes > 1 else ""
            self._order.tell(f"{track.task}: {track.name}{at}")
            patience = self._patience()

            def measure(
                track: Track = track, at: float = patience
            ) -> Parts | Unreadable:
                try:
                    return track.clock(self._use, at)
                except Unreadable as error:
                    return Unreadable(self._why(error))

            track.take(number, steady(measure, meter=self._meter, until=until))

    def _room(self, until: float, tracks: list[Track] | None = None) -> bool:
        """Is there time for one more round, if it takes as long as those before?"""
        chosen = self._able() if tracks is None else tracks
        return until - time.monotonic() > len(chosen) * (WINDOW + PASS)

    def _able(self) -> list[Track]:
        """Ways that can still be measured, alone."""
        return [
            t
            for t in self._tracks
            if t.processes == 1 and (t.samples or t.refused or not t.unknown)
        ]

    def _patience(self) -> float:
        """Until when to wait for an answer that may never come."""
        return min(self._until, time.monotonic() + max(GRACE, self._order.budget / 4))

    def _why(self, error: Unreadable, doing: str = "") -> str:
        """What went wrong, unless all that is known is that the time is up."""
        return LATE if time.monotonic() >= self._until else f"{doing}{error}"

    def _hang_up(self) -> None:
        """Tell all of them that it is over, so that they end side by side."""
        for decoder in self._decoders:
            decoder.hang_up()
