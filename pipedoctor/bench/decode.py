"""`bench decode`: every library that decodes images here, measured side by side."""

import math
import time
from collections.abc import Mapping
from contextlib import ExitStack

from pipedoctor.bench.decode_order import (
    ANSWER_SECONDS,
    KEEP_MEMORY_VARIABLES,
    LIBRARY_MODULES,
    MAX_ROUNDS,
    MIN_FAULTS,
    PARALLEL_SHARE,
    PASS_SECONDS,
    WINDOW_SECONDS,
    DecodeRequest,
)
from pipedoctor.bench.decoder import DecoderProcess
from pipedoctor.bench.decoder_windows import (
    WayMeasurement,
    WindowParts,
    find_fastest,
    find_references,
    find_way,
    summarize_quality,
)
from pipedoctor.bench.host import read_host
from pipedoctor.bench.pixel_difference import MAX_VALUES, compare_pixels
from pipedoctor.bench.quiet_machine import measure_quietly
from pipedoctor.bench.window import CpuMeter
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import UnreadableError
from pipedoctor.facts.bench import NO_TIME_LEFT
from pipedoctor.facts.bench_decode import REFERENCE_PATH, BenchDecode, Images, Unread


class DecodeBench:
    """Measures every library that decodes images here, as far as there is time."""

    def __init__(self, request: DecodeRequest) -> None:
        self._request = request
        self._deadline = request.begin_time + request.budget
        self._meter = request.meter or CpuMeter(request.machine)
        self._names = list(request.images.data)
        self._data = list(request.images.data.values())
        self._failures: dict[str, dict[str, str]] = {}
        self._chosen_images: list[int] = []
        self._image_size: tuple[int, int] | None = None
        self._stack = ExitStack()
        self._decoders: list[DecoderProcess] = []
        self._versions: dict[str, str] = {}
        self._python = ""
        self._broken: dict[str, str] = {}
        self._ways: list[WayMeasurement] = []
        self._interrupted = False

    def run(self) -> BenchDecode:
        """Measure until the budget is used; Ctrl-C ends it with what is known."""
        try:
            with self._stack:
                self._measure()
        except KeyboardInterrupt:
            self._interrupted = True
        return self.build_result()

    def build_result(self) -> BenchDecode:
        """What is known so far."""
        unreadable = dict(self._request.images.unreadable)
        readers = len(self._failures)
        for name in self._names:
            reasons = [
                reasons_by_name[name]
                for reasons_by_name in self._failures.values()
                if name in reasons_by_name
            ]
            if readers and len(reasons) == readers:
                unreadable[name] = reasons[0]
        width, height = self._image_size or (None, None)
        chosen = [self._data[number] for number in self._chosen_images]
        return BenchDecode(
            host=read_host(self._request.machine, self._python),
            images=Images(
                count=len(chosen),
                bytes=sum(map(len, chosen)),
                generated=self._request.images.generated,
                width=width,
                height=height,
                unreadable=tuple(
                    Unread(path=escape_path(name), reason=escape_path(why))
                    for name, why in unreadable.items()
                ),
            ),
            versions=self._versions,
            broken=self._broken,
            paths=tuple(
                track.build_path(*find_references(track, self._ways)) for track in self._ways
            ),
            quality=summarize_quality(self._ways),
            seconds=time.monotonic() - self._request.begin_time,
            interrupted=self._interrupted,
        )

    def _measure(self) -> None:
        opened = self._start_decoders(LIBRARY_MODULES, {})
        self._check_ways(opened)
        self._compare_pixels()
        single = self._deadline - PARALLEL_SHARE * self._request.budget
        self._measure_round(0, self._deadline)
        self._ways += self._retry_keeping_memory()
        for number in range(1, MAX_ROUNDS):
            if not self._has_time(single):
                break
            self._measure_round(number, single)
        self._measure_parallel()

    def _start_decoders(
        self, libraries: Mapping[str, str], variables: Mapping[str, str]
    ) -> dict[DecoderProcess, tuple[str, ...]]:
        """Start them all, then wait for each; those that fail are listed."""
        executable, environ = self._request.executable, self._request.environ
        started: dict[str, DecoderProcess] = {}
        for library in libraries:
            decoder = DecoderProcess(executable, library, {**environ, **variables})
            self._stack.callback(decoder.close)
            self._decoders.append(decoder)
            started[library] = decoder
        self._stack.callback(self._close_inputs)  # comes before they are closed in turn
        opened: dict[DecoderProcess, tuple[str, ...]] = {}
        half = time.monotonic() + max(ANSWER_SECONDS, self._request.budget / 2)
        until = min(half, self._deadline)
        for library, decoder in started.items():
            self._request.report_progress(f"import {library}")
            try:
                reply = decoder.wait_for_import(until)
                decoder.send_images(self._data, until)
            except UnreadableError as error:
                absent = f"No module named '{LIBRARY_MODULES[library]}'"
                if absent not in str(error):
                    self._broken[library] = self._explain_error(error)
                continue
            self._versions[library], self._python = reply.version, reply.python
            opened[decoder] = reply.ways
        return opened

    def _check_ways(self, ways_by_process: Mapping[DecoderProcess, tuple[str, ...]]) -> None:
        """Try each way on the images; keep those that most of the ways can read."""
        passes: dict[str, float] = {}
        tracks: list[WayMeasurement] = []
        for decoder, ways in ways_by_process.items():
            for way in ways:
                track = WayMeasurement(decoder, way)
                self._request.report_progress(f"check {track.name}")
                try:
                    (answer,) = decoder.run_command(
                        self._get_answer_deadline(), do="check", way=way
                    )
                except UnreadableError as error:
                    self._broken[decoder.library] = self._explain_error(error, f"{track.name}: ")
                    break
                names = {int(n): why for n, why in answer["failed"].items()}
                self._failures[way] = {self._names[n]: w for n, w in names.items()}
                passes[way] = answer["seconds"]
                tracks.append(track)
                if not self._chosen_images and len(names) < len(self._data):
                    self._choose_images(answer["seconds"], set(names))
        self._drop_failing_ways(tracks, passes)

    def _choose_images(self, seconds: float, unreadable: set[int]) -> None:
        """As many images as are decoded in a fifth of a second, at least one."""
        good = [n for n in range(len(self._data)) if n not in unreadable]
        most = max(1, int(PASS_SECONDS / max(seconds / len(self._data), 1e-9)))
        self._chosen_images = good[:most]

    def _drop_failing_ways(self, tracks: list[WayMeasurement], passes: Mapping[str, float]) -> None:
        """Leave out, with the reason, ways that cannot read what the others can."""
        counts = {
            number: sum(self._names[number] in self._failures[t.way] for t in tracks)
            for number in self._chosen_images
        }
        self._chosen_images = [n for n in self._chosen_images if 2 * counts[n] <= len(tracks)]
        share = len(self._chosen_images) / max(1, len(self._data))
        for track in tracks:
            failed = self._failures[track.way]
            wrong = [n for n in self._chosen_images if self._names[n] in failed]
            if wrong:
                name = self._names[wrong[0]]
                track.unknown = f"{name}: {failed[name]}"
            took = max(passes[track.way] * share, 1e-6)
            track.passes = max(1, math.ceil(WINDOW_SECONDS / took))
        self._ways = tracks if self._chosen_images else []

    def _compare_pixels(self) -> None:
        """Say how far each way's pixels are from PIL's, on the first image."""
        answers: dict[str, dict[str, object]] = {}
        for track in self._list_measurable():
            try:
                (answers[track.way],) = track.decoder.run_command(
                    self._get_answer_deadline(),
                    do="pixels",
                    way=track.way,
                    image=self._chosen_images[0],
                    most=MAX_VALUES,
                )
            except UnreadableError as error:
                track.unknown = self._explain_error(error)
                continue
            own = answers[track.way]
            theirs = answers.get(f"{track.task}:{REFERENCE_PATH}")
            if track.task == "decode" and self._image_size is None:
                self._image_size = int(str(own["width"])), int(str(own["height"]))
            if theirs and track.name != REFERENCE_PATH:
                track.pixels = compare_pixels([(own, theirs)])

    def _retry_keeping_memory(self) -> list[WayMeasurement]:
        """The ways that fault much, once more with variables that keep memory."""
        ways: list[WayMeasurement] = []
        guilty = [
            t
            for t in self._list_measurable()
            if any(s.faults > MIN_FAULTS for s in t.samples.values())
        ]
        for library in dict.fromkeys(t.decoder.library for t in guilty):
            more = KEEP_MEMORY_VARIABLES.get(library, KEEP_MEMORY_VARIABLES[""])
            if any(name in self._request.environ for name in more):
                continue
            label = " ".join(f"{name}={value}" for name, value in more.items())
            for decoder in self._start_decoders({library: ""}, more):
                ways += [
                    WayMeasurement(decoder, t.way, allocator=label, passes=t.passes)
                    for t in guilty
                    if t.decoder.library == library
                ]
        return ways

    def _measure_parallel(self) -> None:
        """PIL and the fastest comparable way, on every CPU at once."""
        count = read_host(self._request.machine).effective
        best = find_fastest(self._list_measurable())
        if count < 2 or best is None:  # noqa: PLR2004
            return
        chosen = dict.fromkeys([find_way(self._ways, REFERENCE_PATH, "resize"), best])
        several = [
            WayMeasurement(t.decoder, t.way, t.allocator, processes=count, passes=t.passes)
            for t in chosen
            if t is not None
        ]
        self._ways += several
        for number in range(MAX_ROUNDS):
            if number and not self._has_time(self._deadline, several):
                break
            self._measure_round(number, self._deadline, several)

    def _measure_round(
        self, number: int, until: float, tracks: list[WayMeasurement] | None = None
    ) -> None:
        """One window of every way, so that whatever drifts drifts for all."""
        for track in self._list_measurable() if tracks is None else tracks:
            if until - time.monotonic() < WINDOW_SECONDS + PASS_SECONDS:
                return
            at = f" x{track.processes}" if track.processes > 1 else ""
            self._request.report_progress(f"{track.task}: {track.name}{at}")
            patience = self._get_answer_deadline()

            def measure(
                track: WayMeasurement = track, at: float = patience
            ) -> WindowParts | UnreadableError:
                try:
                    return track.run_window(self._chosen_images, at)
                except UnreadableError as error:
                    return UnreadableError(self._explain_error(error))

            track.record_window(number, measure_quietly(measure, meter=self._meter, until=until))

    def _has_time(self, until: float, tracks: list[WayMeasurement] | None = None) -> bool:
        """Is there time for one more round, if it takes as long as those before?"""
        chosen = self._list_measurable() if tracks is None else tracks
        return until - time.monotonic() > len(chosen) * (WINDOW_SECONDS + PASS_SECONDS)

    def _list_measurable(self) -> list[WayMeasurement]:
        """Ways that can still be measured, alone."""
        return [
            t for t in self._ways if t.processes == 1 and (t.samples or t.refused or not t.unknown)
        ]

    def _get_answer_deadline(self) -> float:
        """Until when to wait for an answer that may never come."""
        return min(
            self._deadline,
            time.monotonic() + max(ANSWER_SECONDS, self._request.budget / 4),
        )

    def _explain_error(self, error: UnreadableError, prefix: str = "") -> str:
        """What went wrong, unless all that is known is that the time is up."""
        return NO_TIME_LEFT if time.monotonic() >= self._deadline else f"{prefix}{error}"

    def _close_inputs(self) -> None:
        """Tell all of them that it is over, so that they end side by side."""
        for decoder in self._decoders:
            decoder.close_input()
