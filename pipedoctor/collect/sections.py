"""Every section that is read from the machine: by what, in which lane, how long."""

import enum
import importlib
import time
from collections.abc import Callable, Mapping

import msgspec

from pipedoctor.collect.encodable import to_encodable
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import SECTIONS, Fact, Facts
from pipedoctor.runtime import files
from pipedoctor.runtime.probe import Announce, Probe

READING_TIMEOUT = 8.0
SURVEY_TIMEOUT = 6.0


class CollectorInput(enum.Enum):
    """What a section is read from; it decides what its collector is given."""

    KERNEL = "/proc, /sys and a tmpfs: nothing there hangs; (machine, announce)"
    ENVIRONMENT = "the Python environment; (machine, environment, announce)"
    REQUEST = "what the request names; `plan` passes more"


class SectionCollector(msgspec.Struct, frozen=True):
    """
    One row: the collector is ``pipedoctor.collect.MODULE.FUNCTION``.

    Probes of one `lane` run one after the other, in a child of their own. Beside
    "packages" there is "steady": what hardly ever hangs, then what may, each in a child
    of its own as soon as one before it did. With more lanes two CPUs are slower, with
    one, many are.
    """

    module: str
    input: CollectorInput = CollectorInput.KERNEL
    function: str = ""
    """Where it is not called as its module."""
    lane: str = "steady"
    timeout: float = 3.0
    """Seconds; `plan` gives those more that may use all that is left."""
    is_slow: bool = False
    """Left out by --quick: it takes longer than all the rest."""
    detailed: str = ""
    """A function that reads more, where a log asks for it."""

    def load_collector(self, *, detailed: bool = False) -> Callable[..., Fact]:
        """Import the collector, at the last moment: some of them are large."""
        module = importlib.import_module(f"pipedoctor.collect.{self.module}")
        usual = self.module.rpartition(".")[2]
        name = (self.detailed if detailed else "") or self.function or usual
        collector: Callable[..., Fact] = getattr(module, name)
        return collector


SECTION_TABLE: Mapping[str, SectionCollector] = {
    "site": SectionCollector("system.site"),
    "shm": SectionCollector("system.shm"),
    "cpu": SectionCollector("system.cpu"),
    "threads": SectionCollector("system.threads"),
    "memory": SectionCollector("system.memory"),
    "limits": SectionCollector("system.limits"),
    "logind": SectionCollector("system.logind"),
    "variables": SectionCollector("system.variables"),
    "accelerators": SectionCollector("devices.accelerators"),
    "ports": SectionCollector("system.ports", detailed="list_listeners"),
    "packages": SectionCollector(
        "environment.packages", CollectorInput.ENVIRONMENT, lane="packages", timeout=READING_TIMEOUT
    ),
    "requirements": SectionCollector(
        "environment.requirements",
        CollectorInput.ENVIRONMENT,
        lane="packages",
        timeout=READING_TIMEOUT,
    ),
    "image_stack": SectionCollector(
        "shared_libraries.image_stack",
        CollectorInput.ENVIRONMENT,
        lane="packages",
        timeout=READING_TIMEOUT,
    ),
    "libraries": SectionCollector(
        "shared_libraries.libraries",
        CollectorInput.ENVIRONMENT,
        lane="packages",
        timeout=READING_TIMEOUT,
        is_slow=True,
    ),
    "interpreter": SectionCollector(
        "environment.interpreter", CollectorInput.ENVIRONMENT, timeout=READING_TIMEOUT
    ),
    "torch": SectionCollector(
        "environment.torch_build", CollectorInput.ENVIRONMENT, timeout=READING_TIMEOUT
    ),
    "conda": SectionCollector(
        "environment.conda", CollectorInput.ENVIRONMENT, timeout=READING_TIMEOUT
    ),
    "torch_import": SectionCollector(
        "environment.torch_import", CollectorInput.REQUEST, lane="import", is_slow=True
    ),
    "installed_files": SectionCollector(
        "environment.installed_files", CollectorInput.REQUEST, lane="files"
    ),
    "record_drift": SectionCollector(
        "environment.record_drift", CollectorInput.REQUEST, lane="record", timeout=READING_TIMEOUT
    ),
    "source": SectionCollector("code.source", CollectorInput.REQUEST, lane="source"),
    "loader": SectionCollector("code.loader", CollectorInput.REQUEST),
    "gpu": SectionCollector("devices.gpu", CollectorInput.REQUEST),
    "datasets": SectionCollector(
        "storage.datasets", CollectorInput.REQUEST, "dataset", lane="", timeout=SURVEY_TIMEOUT
    ),
    "paths": SectionCollector("storage.paths", CollectorInput.REQUEST, "path"),
    "project_record": SectionCollector("environment.project_record", CollectorInput.REQUEST),
}
KERNEL_SECTIONS = tuple(
    name for name, row in SECTION_TABLE.items() if row.input is CollectorInput.KERNEL
)
ENVIRONMENT_SECTIONS = tuple(
    name for name, row in SECTION_TABLE.items() if row.input is CollectorInput.ENVIRONMENT
)
SLOW_SECTIONS = frozenset(name for name, row in SECTION_TABLE.items() if row.is_slow)


class ProbePlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where one probe runs otherwise than its section's row says."""

    name: str = ""
    lane: str = ""
    timeout: float | None = None
    detailed: bool = False


def build_probe(
    section: str,
    *arguments: object,
    place: ProbePlace = ProbePlace(),  # noqa: B008  (frozen)
    **options: object,
) -> Probe:
    """Make a probe that imports its collector in its lane and calls it with these."""
    row = SECTION_TABLE[section]

    def work(announce: Announce) -> object:
        collector = row.load_collector(detailed=place.detailed)
        return to_encodable(collector(*arguments, announce, **options))

    return Probe(
        name=place.name or section,
        work=work,
        lane=place.lane or row.lane or place.name,
        timeout=row.timeout if place.timeout is None else place.timeout,
        never_hangs=row.input is CollectorInput.KERNEL,
    )


def read_sections(machine: Machine, *sections: str) -> Facts:
    """Collect sections that come from /proc, /sys and a tmpfs; one that hangs is unknown."""
    probes = [build_probe(section, machine) for section in sections]
    until = time.monotonic() + sum(probe.timeout for probe in probes)
    outcomes = files.run_probes(probes, until=until)
    known: list[Fact] = []
    unknown: dict[str, str] = {}
    for section in sections:
        outcome = outcomes[section]
        if outcome.has_value:
            known.append(msgspec.convert(outcome.value, SECTIONS[section]))
        else:
            unknown[section] = outcome.reason
    return Facts(*known, unknown=unknown)
