"""Which probes an examination runs, and how their outcomes become facts."""

import importlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pipedoctor.collect.code.code_reading import LoaderCallStore, ReadingOptions
from pipedoctor.collect.devices.gpu import DRIVER_DEVICES
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.hung_paths import (
    build_folder_probes,
    build_hang,
    find_hung_mount,
    is_driver_hang,
    list_hung_paths,
)
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.named_folders import PathRequest, list_named_folders
from pipedoctor.collect.sections import (
    ENVIRONMENT_SECTIONS,
    KERNEL_SECTIONS,
    SLOW_SECTIONS,
    ProbePlace,
    build_probe,
)
from pipedoctor.facts import (
    SECTIONS,
    DataSet,
    DataSets,
    Fact,
    Facts,
    Gpu,
    Loader,
    PathFact,
    Paths,
    TorchImport,
)
from pipedoctor.facts.applicability import NOT_REQUESTED
from pipedoctor.runtime import lanes
from pipedoctor.runtime.lanes import LaneProgressCallback, Outcome, Probe, StartCallback

DRIVER_TIMEOUT = 10.0
"""Without persistence mode the driver initializes each GPU first, some seconds each."""

PLACE_TIMEOUT = 2.0
IMPORT_MARGIN = 1.0
_IMPORT_SECTIONS = (*ENVIRONMENT_SECTIONS, "torch_import", "installed_files", "record_drift")
"""Sections that are read from the environment's files."""
SURVEY_FIELDS: tuple[str, ...] = ("mount", "disks", "sample", "cold_read")


class CollectionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to examine; `loader` is what the command line says."""

    machine: Machine = msgspec.field(default_factory=Machine)
    data: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    reading: ReadingOptions = ReadingOptions()
    loader: Loader | None = None
    quick: bool = False
    extra_sections: frozenset[str] = frozenset()
    """Sections that are read even so."""
    environment: EnvironmentChoice = msgspec.field(default_factory=EnvironmentChoice)
    """The Python environment to examine."""
    record_file: tuple[str, str, bytes] | None = None
    """The file that records it: path, kind, content."""
    verify_files: bool = False
    """Compare every installed file with its package's record."""
    hung_before: tuple[Outcome, ...] = ()
    """What hung before anything was collected."""

    @property
    def has_code(self) -> bool:
        """Is there code to read, in PATHS or through stdin?"""
        return bool(self.code or self.reading.stdin_source)

    @property
    def skipped_sections(self) -> frozenset[str]:
        """Sections that take too long to be quick."""
        return (SLOW_SECTIONS if self.quick else frozenset[str]()) - self.extra_sections


def collect_facts(
    request: CollectionRequest,
    *,
    deadline: float,
    on_progress: LaneProgressCallback = lambda _: None,
    on_start: StartCallback = lambda: None,
) -> Facts:
    """Run all collectors in parallel, for at most `deadline` seconds."""
    until = time.monotonic() + deadline
    places, folders = (
        _list_places(request),
        list_named_folders(request.machine, _name_environment(request)),
    )
    probes = _list_probes(request, places, folders, deadline)
    if lanes.CAN_FORK:
        run_probes = lanes.run_in_processes
    else:
        from pipedoctor.runtime.threads import (  # noqa: PLC0415  (elsewhere)
            run_in_threads as run_probes,
        )
    outcomes = run_probes(probes, until=until, on_progress=on_progress, on_start=on_start)
    paths = _build_paths(request, places, folders, outcomes)
    known: list[Fact] = [paths]
    unknown = _explain_skipped(request)
    if request.data:
        known.append(_build_datasets(request, outcomes))
    for section, kind in SECTIONS.items():
        outcome = outcomes.get(section)
        if outcome is None:
            continue
        if outcome.has_value:
            fact = msgspec.convert(outcome.value, kind)
            if reason := _find_import_excuse(fact, paths):
                unknown[section] = reason
            else:
                known.append(fact)
        elif section == Gpu.section and is_driver_hang(outcome):
            known.append(Gpu(hang=build_hang(outcome)))
        else:
            unknown[section] = outcome.reason
    return Facts(*known, unknown=unknown)


def _list_probes(
    request: CollectionRequest,
    places: list[PathRequest],
    folders: Sequence[PathRequest],
    deadline: float,
) -> list[Probe]:
    """All probes; in the lane that all share, those of the environment may hang longest."""
    in_environment = list(_iter_environment_probes(request, deadline))
    return [
        *_iter_code_probes(request, deadline),
        *(probe for probe in in_environment if probe.lane != "steady"),
        *_iter_probes(request, places, folders),
        *(probe for probe in in_environment if probe.lane == "steady"),  # slow where it hangs
    ]


def _name_environment(request: CollectionRequest) -> str:
    return request.environment.env or request.environment.python


def _find_import_excuse(fact: Fact, paths: Paths) -> str:
    """Why a hung import says nothing about torch: a path that it needs does not answer."""
    if not isinstance(fact, TorchImport) or fact.hang is None:
        return ""
    dead = next((path for path in paths.entries if path.hang), None)
    if dead is None:
        return ""
    waited = f"no answer after {fact.hang.seconds:g} s in {fact.hang.doing}"
    return f"{waited}: {dead.path} ({dead.named_by}) does not answer"


def _explain_skipped(inquiry: CollectionRequest) -> dict[str, str]:
    """Explain for each section that was not requested which option requests it."""
    requested = {
        "log": False,
        "fleet": False,
        "datasets": bool(inquiry.data),
        "source": inquiry.has_code,
        "record_drift": inquiry.record_file is not None,
        "installed_files": inquiry.verify_files,
    }
    reasons = {name: NOT_REQUESTED[name] for name, asked in requested.items() if not asked}
    return reasons | dict.fromkeys(inquiry.skipped_sections, "--quick")


def _list_places(inquiry: CollectionRequest) -> list[PathRequest]:
    paths = importlib.import_module("pipedoctor.collect.storage.paths")
    data = [
        PathRequest(role=role, path=path, named_by=named_by)
        for role, named_by, named in (
            ("data", "--data", inquiry.data),
            ("code", "PATHS", inquiry.code),
        )
        for path in dict.fromkeys(named)
    ]
    return data + list(paths.list_path_requests(inquiry.machine))


def _iter_probes(
    inquiry: CollectionRequest, places: list[PathRequest], folders: Sequence[PathRequest]
) -> Iterator[Probe]:
    machine = inquiry.machine
    has_driver = any(map(os.path.exists, DRIVER_DEVICES))
    driver = ProbePlace(lane="gpu", timeout=DRIVER_TIMEOUT) if has_driver else ProbePlace()
    yield build_probe("gpu", machine, place=driver)
    for path in dict.fromkeys(inquiry.data):
        named = ProbePlace(name=f"dataset {path}")
        yield build_probe("datasets", machine, path, inquiry.quick, place=named)
    yield from build_folder_probes(machine, folders)
    for section in KERNEL_SECTIONS:
        yield build_probe(section, machine)
    for place in places:
        yield build_probe("paths", machine, place, place=_place_path_probe(place))
    yield build_probe("project_record", machine, inquiry.code)


def _place_path_probe(place: PathRequest) -> ProbePlace:
    """Data has a lane of its own for each path; other places share one, and little time."""
    name = f"{place.role} {place.path}"
    if place.role == "data":
        return ProbePlace(name=name, lane=name)
    return ProbePlace(name=name, timeout=None if place.role == "code" else PLACE_TIMEOUT)


def _iter_code_probes(inquiry: CollectionRequest, deadline: float) -> Iterator[Probe]:
    """Yield the probes of code; loaders share its lane and the calls it found."""
    machine, code = inquiry.machine, inquiry.code
    reading = msgspec.structs.replace(inquiry.reading, process_ends=True)
    words = {"reading": reading, "call_store": LoaderCallStore()}
    if inquiry.has_code:
        left = max(1.0, deadline - IMPORT_MARGIN)
        yield build_probe("source", machine, code, left, place=ProbePlace(timeout=left), **words)
    place = ProbePlace(lane="source" if inquiry.has_code else "steady")
    yield build_probe("loader", machine, inquiry.loader, code, place=place, **words)


def _iter_environment_probes(inquiry: CollectionRequest, deadline: float) -> Iterator[Probe]:
    """The import of torch starts first: nothing else takes as long."""
    machine, chosen = inquiry.machine, inquiry.environment
    left, whole = max(1.0, deadline - IMPORT_MARGIN), ProbePlace(timeout=deadline)
    if "torch_import" not in inquiry.skipped_sections:
        yield build_probe("torch_import", machine, chosen, left, place=whole)
    for section in ENVIRONMENT_SECTIONS:
        if section not in inquiry.skipped_sections:
            yield build_probe(section, machine, chosen)
    if inquiry.verify_files:
        yield build_probe("installed_files", machine, chosen, left, place=whole)
    if inquiry.record_file is not None:
        yield build_probe("record_drift", machine, chosen, inquiry.record_file)


def _build_paths(
    inquiry: CollectionRequest,
    places: list[PathRequest],
    folders: Sequence[PathRequest],
    outcomes: Mapping[str, Outcome],
) -> Paths:
    entries = [
        _build_path_fact(inquiry.machine, place, outcomes[f"{place.role} {place.path}"])
        for place in places
    ]
    hung = list_hung_paths(
        inquiry.machine,
        (*folders, *places),
        outcomes,
        entries,
        environment_sections=_IMPORT_SECTIONS,
        hung_before=inquiry.hung_before,
    )
    return Paths(entries=(*entries, *hung))


def _build_path_fact(machine: Machine, place: PathRequest, outcome: Outcome) -> PathFact:
    if outcome.has_value:
        return msgspec.convert(outcome.value, PathFact)
    return PathFact(
        role=place.role,
        path=escape_path(place.path),
        named_by=place.named_by,
        mount=find_hung_mount(machine, place.path, outcome),
        hang=build_hang(outcome) if outcome.hung else None,
        error="" if outcome.hung else outcome.reason,
    )


def _build_datasets(inquiry: CollectionRequest, outcomes: Mapping[str, Outcome]) -> DataSets:
    return DataSets(
        entries=tuple(
            _build_dataset(inquiry.machine, path, outcomes[f"dataset {path}"])
            for path in dict.fromkeys(inquiry.data)
        )
    )


def _build_dataset(machine: Machine, path: str, outcome: Outcome) -> DataSet:
    if outcome.has_value:
        return msgspec.convert(outcome.value, DataSet)
    return DataSet(
        path=escape_path(path),
        mount=find_hung_mount(machine, path, outcome),
        unknown=dict.fromkeys(SURVEY_FIELDS, outcome.reason),
        hang=build_hang(outcome) if outcome.hung else None,
    )
