"""Paths that did not answer while anything else was read: each is a finding itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path, find_mount, mounts
from pipedoctor.collect.named_folders import PathRequest, look_into
from pipedoctor.facts import SECTIONS, Hang, Mount, PathFact
from pipedoctor.runtime.probe import Announce, Outcome, Probe

FOLDER_TIMEOUT = 2.0
_DEVICE_SECTIONS = frozenset({"gpu", "accelerators"})
"""Where they hang is the driver's matter, and has a check of its own."""
_ROLES = {"shm": "shm", "source": "code", "loader": "code", "project_record": "code"}


def build_folder_probes(machine: Machine, folders: Iterable[PathRequest]) -> Iterator[Probe]:
    """Build probes that look into these folders, one after the other while they answer."""
    for folder in folders:

        def work(announce: Announce, path: str = folder.path) -> tuple[str, str]:
            return look_into(machine, path, announce)

        name = _name_probe(folder.path)
        yield Probe(name=name, work=work, lane="folders", timeout=FOLDER_TIMEOUT)


def list_hung_paths(
    machine: Machine,
    folders: Sequence[PathRequest],
    outcomes: Mapping[str, Outcome],
    paths: Sequence[PathFact],
    environment_sections: Sequence[str],
    hung_before: Sequence[Outcome] = (),
) -> Iterator[PathFact]:
    """
    List the folders that hang or whose server is gone, then the paths where sections hung.

    Then what `hung_before`. None that lies on a path that is listed already, or among `paths`.
    """
    listed = [fact for fact in paths if fact.hang]
    for fact in _iter_folders(machine, folders, outcomes):
        if not any(_is_below(fact.path, other.path) for other in listed):
            listed.append(fact)
            yield fact
    others = chain(
        _iter_section_paths(machine, folders, outcomes, environment_sections),
        _iter_earlier_paths(machine, hung_before),
    )
    for fact in others:
        if not any(_is_same_place(fact, other) for other in listed):
            listed.append(fact)
            yield fact


def is_driver_hang(outcome: Outcome) -> bool:
    """Did a driver hang? Not where a file that is looked for on the way does not answer."""
    path = outcome.blocked_path
    return outcome.hung and (not path or path.startswith("/dev/"))


def build_hang(outcome: Outcome) -> Hang:
    """Build the fact of a call that did not come back."""
    return Hang(doing=outcome.doing, seconds=round(outcome.seconds, 1))


def find_hung_mount(machine: Machine, path: str, outcome: Outcome) -> Mount | None:
    """Which mount hangs: that of the path in the last call, links already followed."""
    last = outcome.blocked_path or outcome.doing.partition(" ")[2]
    at = last if last.startswith("/") else path
    return find_mount(at, mounts(machine)) if at.startswith("/") else None


def _is_asleep(outcome: Outcome) -> bool:
    """
    Was it seen asleep in a call, or late in one that it has announced?

    A machine under load cuts short what is well, or never lets it begin.
    """
    late = outcome.doing and outcome.seconds >= FOLDER_TIMEOUT
    return outcome.hung and bool(outcome.blocked_path or late)


def _name_probe(path: str) -> str:
    return f"folder {path}"


def _iter_folders(
    machine: Machine, folders: Sequence[PathRequest], outcomes: Mapping[str, Outcome]
) -> Iterator[PathFact]:
    for folder in folders:
        outcome = outcomes.get(_name_probe(folder.path))
        if outcome is None or not (outcome.hung or outcome.has_value):
            continue
        error, code = ("", "") if outcome.hung else outcome.value
        if _is_asleep(outcome) or error:
            yield PathFact(
                role=folder.role,
                path=escape_path(folder.path),
                named_by=folder.named_by,
                mount=find_hung_mount(machine, folder.path, outcome),
                hang=build_hang(outcome) if outcome.hung else None,
                error=error,
                error_code=code,
            )


def _iter_section_paths(
    machine: Machine,
    folders: Sequence[PathRequest],
    outcomes: Mapping[str, Outcome],
    environment_sections: Sequence[str],
) -> Iterator[PathFact]:
    for section, outcome in outcomes.items():
        path = outcome.blocked_path
        if not path or not outcome.hung or section not in SECTIONS:
            continue
        if section in _DEVICE_SECTIONS and is_driver_hang(outcome):
            continue
        holding = (one for one in folders if _is_below(path, one.path))
        above = max(holding, key=lambda one: len(one.path), default=None)
        role = "environment" if section in environment_sections else _ROLES.get(section, "system")
        yield PathFact(
            role=above.role if above else role,
            path=escape_path(path),
            named_by=above.named_by if above else f"read for `{section}`",
            mount=find_hung_mount(machine, path, outcome),
            hang=build_hang(outcome),
        )


def _iter_earlier_paths(machine: Machine, outcomes: Sequence[Outcome]) -> Iterator[PathFact]:
    for outcome in outcomes:
        if outcome.blocked_path:
            yield PathFact(
                role="config",
                path=escape_path(outcome.blocked_path),
                named_by="read for the configuration",
                mount=find_hung_mount(machine, outcome.blocked_path, outcome),
                hang=build_hang(outcome),
            )


def _is_same_place(fact: PathFact, other: PathFact) -> bool:
    """Does a path lie below another, or on the same mount?"""
    same = fact.mount is not None and fact.mount == other.mount and fact.mount.point != "/"
    return same or _is_below(fact.path, other.path)


def _is_below(path: str, folder: str) -> bool:
    """Is the path this folder, or anything in it?"""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
