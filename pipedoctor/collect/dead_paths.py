"""Before a program is started: does every path answer that it will look into?"""

import time
from collections.abc import Sequence

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.hung_paths import build_folder_probes, list_hung_paths
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.named_folders import PathRequest, list_named_folders
from pipedoctor.collect.sections import ProbePlace, build_probe
from pipedoctor.collect.storage.paths import list_path_requests
from pipedoctor.facts import PathFact
from pipedoctor.runtime import files
from pipedoctor.units import format_seconds

PROGRAM_ROLES = frozenset(("cwd", "tmp", "environment", "import-path", "program-path", "shm"))
"""Places without which no Python program starts its workers; home and caches may do."""
_ANSWER_SECONDS = 3.0
_INTERPRETER = "interpreter"


def find_dead_paths(
    folders: Sequence[PathRequest], environment: EnvironmentChoice | None = None
) -> list[PathFact]:
    """
    Look into these folders, in lanes, for at most three seconds; return the dead ones.

    With an environment, its site folders are looked into as well.
    """
    machine = Machine()
    probes = list(build_folder_probes(machine, folders))
    if environment is not None:
        place = ProbePlace(lane=_INTERPRETER, timeout=files.FILE_TIMEOUT)
        probes.append(build_probe(_INTERPRETER, machine, environment, place=place))
    outcomes = files.run_probes(probes, until=time.monotonic() + _ANSWER_SECONDS)
    return list(list_hung_paths(machine, folders, outcomes, (), (_INTERPRETER,)))


def list_program_folders() -> list[PathRequest]:
    """List the folders that a program started here looks into, by the variables alone."""
    machine = Machine()
    places = [place for place in list_path_requests(machine) if place.path.startswith("/")]
    return [p for p in (*places, *list_named_folders(machine)) if p.role in PROGRAM_ROLES]


def describe_dead_path(fact: PathFact) -> str:
    """Say which path does not answer, and what names it; not yet safe for a terminal."""
    name = f"{fact.path} ({fact.named_by or fact.role})"
    if fact.hang is None:
        return f"{name} is dead: {fact.error}"
    spent = format_seconds(fact.hang.seconds)
    return f"{name} does not answer: {fact.hang.doing} hung for {spent}"
