"""The facts of one machine, together: to look up, to record, to read back."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from pipedoctor.facts.accelerators import Accelerators
from pipedoctor.facts.base import Fact
from pipedoctor.facts.bench_decode import BenchDecode
from pipedoctor.facts.bench_disk import BenchDisk
from pipedoctor.facts.bench_loader import BenchLoader
from pipedoctor.facts.bench_transfer import BenchTransfer
from pipedoctor.facts.conda import Conda
from pipedoctor.facts.cpu import Cpu
from pipedoctor.facts.datasets import DataSets
from pipedoctor.facts.gpu import Gpu
from pipedoctor.facts.image_stack import ImageStack
from pipedoctor.facts.installed_files import InstalledFiles
from pipedoctor.facts.interpreter import Interpreter
from pipedoctor.facts.libraries import Libraries
from pipedoctor.facts.limits import Limits
from pipedoctor.facts.live import LiveJob
from pipedoctor.facts.loader import Loader
from pipedoctor.facts.logind import Logind
from pipedoctor.facts.memory import Memory
from pipedoctor.facts.node import Node
from pipedoctor.facts.node_probe import NodeProbe
from pipedoctor.facts.packages import Packages
from pipedoctor.facts.paths import Paths
from pipedoctor.facts.pipeline import Pipeline
from pipedoctor.facts.ports import Ports
from pipedoctor.facts.project_record import ProjectRecord
from pipedoctor.facts.record_drift import RecordDrift
from pipedoctor.facts.requirements import Requirements
from pipedoctor.facts.shm import Shm
from pipedoctor.facts.site import Site
from pipedoctor.facts.source import Source
from pipedoctor.facts.threads import Threads
from pipedoctor.facts.torch_build import TorchBuild
from pipedoctor.facts.torch_import import TorchImport
from pipedoctor.facts.variables import Variables
from pipedoctor.facts.world import Filesystems, World
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_culprits import Culprits
from pipedoctor.facts.world_pillow import PillowFixes
from pipedoctor.facts.world_torch import (
    CudaDrivers,
    Pythons,
    TorchBuilds,
    TorchPairs,
)

F = TypeVar("F", bound=Fact)

FACT_KINDS: tuple[type[Fact], ...] = (
    Site,
    Shm,
    Loader,
    Cpu,
    Threads,
    Memory,
    Limits,
    Logind,
    Ports,
    Paths,
    DataSets,
    Gpu,
    Accelerators,
    Interpreter,
    Variables,
    TorchBuild,
    TorchImport,
    Packages,
    Requirements,
    Conda,
    Libraries,
    ImageStack,
    ProjectRecord,
    RecordDrift,
    InstalledFiles,
    Source,
    BenchDecode,
    BenchDisk,
    BenchLoader,
    BenchTransfer,
    Pipeline,
    LiveJob,
    Node,
    NodeProbe,
)
SECTIONS: Mapping[str, type[Fact]] = {kind.section: kind for kind in FACT_KINDS}
WORLD_TABLES: Mapping[str, type[World]] = {
    kind.section: kind
    for kind in (
        Filesystems,
        CudaDrivers,
        TorchBuilds,
        TorchPairs,
        GpuCapabilities,
        Pythons,
        PillowFixes,
        Culprits,
    )
}


class MalformedRecordError(Exception):
    """A record that nobody can read; the message says where and what was expected."""


class Facts:
    """The facts of one machine; what could not be read carries its reason."""

    def __init__(self, *known: Fact, unknown: Mapping[str, str] | None = None) -> None:
        self._known = {type(fact): fact for fact in known}
        self.unknown = dict(unknown or {})

    def get(self, kind: type[F]) -> F | None:
        """The facts of this kind, or None when nobody could read them."""
        fact = self._known.get(kind)
        return fact if isinstance(fact, kind) else None

    def get_unknown_reason(self, kind: type[Fact]) -> str:
        """Why a section is missing."""
        return self.unknown.get(kind.section, "not collected")

    def merge(self, *more: Fact) -> "Facts":
        """These facts and more; the newer ones win."""
        now = {fact.section for fact in more}
        left = {key: why for key, why in self.unknown.items() if key not in now}
        return Facts(*self._known.values(), *more, unknown=left)

    def without(self, kind: type[Fact]) -> "Facts":
        """The same facts, one section less."""
        rest = (fact for fact in self._known.values() if not isinstance(fact, kind))
        return Facts(*rest, unknown=self.unknown)

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON; tables about the world are left out."""
        known = {
            fact.section: msgspec.to_builtins(fact)
            for fact in self._known.values()
            if not isinstance(fact, World)
        }
        return {"known": known, "unknown": self.unknown}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Facts":
        """Read what `to_record` wrote; leave out sections we have never heard of."""
        return cls(
            *(
                _convert_section(SECTIONS[name], values)
                for name, values in record["known"].items()
                if name in SECTIONS
            ),
            unknown=record["unknown"],
        )


def _convert_section(kind: type[F], values: object) -> F:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        message = f"facts.known.{kind.section}: {error}"
        raise MalformedRecordError(message) from None
