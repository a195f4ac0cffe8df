"""What is known about one machine and one job: data only, no I/O, no judgement."""

from pipedoctor.facts.base import Fact, Part, Unreadable
from pipedoctor.facts.cpu import Cpu, NumaNode, Quota
from pipedoctor.facts.datasets import ColdRead, DataSet, DataSets, Disk, Sample
from pipedoctor.facts.gpu import Device, Gpu
from pipedoctor.facts.limits import Limits, Rlimit
from pipedoctor.facts.loader import Loader
from pipedoctor.facts.logind import Logind
from pipedoctor.facts.memory import Memory, MemoryLimit
from pipedoctor.facts.paths import Hang, Mount, PathFact, Paths
from pipedoctor.facts.record import SECTIONS, Facts, Malformed
from pipedoctor.facts.shm import Segment, Shm
from pipedoctor.facts.site import Habitat, Site, Slurm
from pipedoctor.facts.threads import Threads
from pipedoctor.facts.world import Filesystem, Filesystems, World

__all__ = [
    "SECTIONS",
    "ColdRead",
    "Cpu",
    "DataSet",
    "DataSets",
    "Device",
    "Disk",
    "Fact",
    "Facts",
    "Filesystem",
    "Filesystems",
    "Gpu",
    "Habitat",
    "Hang",
    "Limits",
    "Loader",
    "Logind",
    "Malformed",
    "Memory",
    "MemoryLimit",
    "Mount",
    "NumaNode",
    "Part",
    "PathFact",
    "Paths",
    "Quota",
    "Rlimit",
    "Sample",
    "Segment",
    "Shm",
    "Site",
    "Slurm",
    "Threads",
    "Unreadable",
    "World",
]
