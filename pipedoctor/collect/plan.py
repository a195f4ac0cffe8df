"""Which probes an examination runs, and how their outcomes become facts."""

import importlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from pipedoctor.collect import lanes
from pipedoctor.collect.lanes import Announce, Meanwhile, Outcome, Probe, Watch
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible, mount_of, mounts
from pipedoctor.collect.plain import plain
from pipedoctor.collect.prefix import Chosen
from pipedoctor.collect.reading import Crossed, Reading
from pipedoctor.facts import (
    SECTIONS,
    DataSet,
    DataSets,
    Fact,
    Facts,
    Gpu,
    Hang,
    Loader,
    Mount,
    PathFact,
    Paths,
)

STEADY = (
    "site",
    "shm",
    "cpu",
    "threads",
    "memory",
    "limits",
    "logind",
    "variables",
    "accelerators",
    "ports",
)
"""Sections that come from /proc, /sys and a tmpfs alone: nothing there hangs."""

ENVIRONMENT = {
    "packages": ("packages", "packages"),
    "requirements": ("requirements", "packages"),
    "image_stack": ("image_stack", "packages"),
    "libraries": ("libraries", "packages"),
    "interpreter": ("interpreter", "steady"),
    "torch": ("torch_build", "steady"),
    "conda": ("conda", "steady"),
}
"""
Sections of the examined Python environment: their collector, and its lane.

Beside "packages" there is "steady": what hardly ever hangs, then what may, each in a
child of its own as soon as one before it did. With more lanes two CPUs are slower, with
one, many are.
"""
DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu")
"""One of these is there where a driver may be slow, or hang: it gets its own lane."""

NOT_QUICK = ("torch_import", "libraries")
"""Left out by --quick: they take longer than all the rest."""

PATIENCE = 3.0
PLACE_PATIENCE = 2.0
SURVEY_PATIENCE = 6.0
READING_PATIENCE = 8.0
IMPORT_MARGIN = 1.0
SURVEYED: tuple[str, ...] = ("mount", "disks", "sample", "cold_read")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A path worth looking at, and who named it."""

    role: str
    path: str
    named_by: str


class Inquiry(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants examined; `loader` is what the command line says."""

    machine: Machine = msgspec.field(default_factory=Machine)
    data: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    reading: Reading = Reading()
    loader: Loader | None = None
    quick: bool = False
    also: frozenset[str] = frozenset()
    """Sections that are read even so."""
    chosen: Chosen = msgspec.field(default_factory=Chosen)
    """The Python environment to examine."""
    against: tuple[str, str, bytes] | None = None
    """The file that records it: path, kind, content."""
    verify_files: bool = False
    """Compare every installed file with its package's record."""

    @property
    def has_code(self) -> bool:
        """Is there code to read, in PATHS or through stdin?"""
        return bool(self.code or self.reading.typed)

    @property
    def left_out(self) -> frozenset[str]:
        """Sections that take too long to be quick."""
        return frozenset(NOT_QUICK if self.quick else ()) - self.also


def collect(
    inquiry: Inquiry,
    *,
    deadline: float,
    watch: Watch = lambda _: None,
    meanwhile: Meanwhile = lambda: None,
) -> Facts:
    """Read everything, beside each other, in at most `deadline` seconds."""
    until = time.monotonic() + deadline
    places = _places(inquiry)
    probes = [
        *_code(inquiry, deadline),
        *_environment(inquiry, deadline),
        *_probes(inquiry, places),
    ]
    if lanes.CAN_FORK:
        run = lanes.run
    else:
        from pipedoctor.collect.unforked import run  # noqa: PLC0415  (elsewhere)
    outcomes = run(probes, until=until, watch=watch, meanwhile=meanwhile)
    known: list[Fact] = [_paths(inquiry, places, outcomes)]
    unknown = _not_asked(inquiry)
    if inquiry.data:
        known.append(_datasets(inquiry, outcomes))
    for section, kind in SECTIONS.items():
        outcome = outcomes.get(section)
        if outcome is None:
            continue
        if outcome.known:
            known.append(msgspec.convert(outcome.value, kind))
        elif section == Gpu.section and outcome.hung:
            known.append(Gpu(hang=_hang(outcome)))
        else:
            unknown[section] = outcome.reason
    return Facts(*known, unknown=unknown)


def _not_asked(inquiry: Inquiry) -> dict[str, str]:
    """Sections that nobody asked for, and how one would."""
    reasons = {
        "log": (False, "no log given, as to `pipedoctor explain LOG`"),
        "datasets": (bool(inquiry.data), "no --data given"),
        "source": (inquiry.has_code, "no PATHS with code given"),
        "record_drift": (inquiry.against is not None, "no --against given"),
        "installed_files": (inquiry.verify_files, "no --verify-files given"),
        **dict.fromkeys(inquiry.left_out, (False, "--quick")),
    }
    return {section: why for section, (asked, why) in reasons.items() if not asked}


def _places(inquiry: Inquiry) -> list[Place]:
    paths = importlib.import_module("pipedoctor.collect.paths")
    data = [
        Place(role=role, path=path, named_by=named_by)
        for role, named_by, named in (
            ("data", "--data", inquiry.data),
            ("code", "PATHS", inquiry.code),
        )
        for path in dict.fromkeys(named)
    ]
    return data + list(paths.places(inquiry.machine))


def _probes(inquiry: Inquiry, places: list[Place]) -> Iterator[Probe]:
    machine = inquiry.machine
    gpu = _call("gpu", "gpu", machine)
    lane = "gpu" if any(map(os.path.exists, DRIVERS)) else "steady"
    yield Probe(name="gpu", work=gpu, lane=lane, patience=PATIENCE)
    for path in dict.fromkeys(inquiry.data):
        name = f"data set {path}"
        work = _call("datasets", "dataset", machine, path, inquiry.quick)
        yield Probe(name=name, work=work, lane=name, patience=SURVEY_PATIENCE)
    for section in STEADY:
        yield Probe(name=section, work=_call(section, section, machine), steady=True)
    for place in places:
        name = f"{place.role} {place.path}"
        work = _call("paths", "path", machine, place)
        if place.role == "data":
            yield Probe(name=name, work=work, lane=name, patience=PATIENCE)
        else:
            shared = PATIENCE if place.role == "code" else PLACE_PATIENCE
            yield Probe(name=name, work=work, patience=shared)
    record = _call("project_record", "project_record", machine, inquiry.code)
    yield Probe(name="project_record", work=record, patience=PATIENCE)


def _code(inquiry: Inquiry, deadline: float) -> Iterator[Probe]:
    """The loaders come after all of the code, in one lane: what is read is known."""
    machine, code, reading = inquiry.machine, inquiry.code, inquiry.reading
    words = {"reading": reading, "crossed": Crossed()}
    if inquiry.has_code:
        left = max(1.0, deadline - IMPORT_MARGIN)
        source = _call("source", "source", machine, code, left, **words)
        yield Probe(name="source", work=source, lane="source", patience=left)
    loader = _call("loader", "loader", machine, inquiry.loader, code, **words)
    lane = "source" if inquiry.has_code else "steady"
    yield Probe(name="loader", work=loader, lane=lane, patience=PATIENCE)


def _environment(inquiry: Inquiry, deadline: float) -> Iterator[Probe]:
    """The import of torch starts first: nothing else takes as long."""
    machine, chosen = inquiry.machine, inquiry.chosen
    left_out = inquiry.left_out
    if "torch_import" not in left_out:
        patience = max(1.0, deadline - IMPORT_MARGIN)
        work = _call("torch_import", "torch_import", machine, chosen, patience)
        yield Probe(name="torch_import", work=work, lane="import", patience=deadline)
    for section, (module, lane) in ENVIRONMENT.items():
        if section in left_out:
            continue
        work = _call(module, module, machine, chosen)
        yield Probe(name=section, work=work, lane=lane, patience=READING_PATIENCE)
    if inquiry.verify_files:
        left = max(1.0, deadline - IMPORT_MARGIN)
        work = _call("installed_files", "installed_files", machine, chosen, left)
        yield Probe(name="installed_files", work=work, lane="files", patience=deadline)
    if inquiry.against is not None:
        work = _call("record_drift", "record_drift", machine, chosen, inquiry.against)
        yield Probe(
            name="record_drift", work=work, lane="record", patience=READING_PATIENCE
        )


def _call(
    module: str, function: str, *args: object, **words: object
) -> Callable[[Announce], Any]:
    """Import the collector only where it runs: in its lane."""

    def work(announce: Announce) -> object:
        collector = importlib.import_module(f"pipedoctor.collect.{module}")
        return plain(getattr(collector, function)(*args, announce, **words))

    return work


def _paths(
    inquiry: Inquiry, places: list[Place], outcomes: Mapping[str, Outcome]
) -> Paths:
    return Paths(
        entries=tuple(
            _path(inquiry.machine, place, outcomes[f"{place.role} {place.path}"])
            for place in places
        )
    )


def _path(machine: Machine, place: Place, outcome: Outcome) -> PathFact:
    if outcome.known:
        return msgspec.convert(outcome.value, PathFact)
    return PathFact(
        role=place.role,
        path=legible(place.path),
        named_by=place.named_by,
        mount=_mount(machine, place.path, outcome),
        hang=_hang(outcome) if outcome.hung else None,
        error="" if outcome.hung else outcome.reason,
    )


def _datasets(inquiry: Inquiry, outcomes: Mapping[str, Outcome]) -> DataSets:
    return DataSets(
        entries=tuple(
            _dataset(inquiry.machine, path, outcomes[f"data set {path}"])
            for path in dict.fromkeys(inquiry.data)
        )
    )


def _dataset(machine: Machine, path: str, outcome: Outcome) -> DataSet:
    if outcome.known:
        return msgspec.convert(outcome.value, DataSet)
    return DataSet(
        path=legible(path),
        mount=_mount(machine, path, outcome),
        unknown=dict.fromkeys(SURVEYED, outcome.reason),
        hang=_hang(outcome) if outcome.hung else None,
    )


def _mount(machine: Machine, path: str, outcome: Outcome) -> Mount | None:
    """Which mount hangs: that of the path in the last call, links already followed."""
    last = outcome.doing.partition(" ")[2]
    at = last if last.startswith("/") else path
    return mount_of(at, mounts(machine)) if at.startswith("/") else None


def _hang(outcome: Outcome) -> Hang:
    return Hang(doing=outcome.doing, seconds=round(outcome.seconds, 1))
