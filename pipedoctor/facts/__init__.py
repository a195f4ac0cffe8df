"""What is known about one machine and one job: data only, no I/O, no judgement."""

from pipedoctor.facts.accelerators import Accelerators, PciDevice, Xid
from pipedoctor.facts.base import Fact, Part, UnreadableError
from pipedoctor.facts.bench import Host, Quality, Spread
from pipedoctor.facts.bench_decode import BenchDecode
from pipedoctor.facts.bench_disk import BenchDisk
from pipedoctor.facts.bench_loader import BenchLoader, OneThread
from pipedoctor.facts.bench_transfer import BenchTransfer
from pipedoctor.facts.conda import Clobbered, Conda, CondaPackage
from pipedoctor.facts.cpu import Cpu, NumaNode, Quota
from pipedoctor.facts.datasets import ColdRead, DataSet, DataSets, Sample
from pipedoctor.facts.fleet import Fleet, NodeGroup, NodeProperty, PropertyColumn, ReferenceNode
from pipedoctor.facts.gpu import Device, Gpu
from pipedoctor.facts.image_stack import Decoder, ImageStack
from pipedoctor.facts.installed_files import InstalledFiles, ModifiedDistribution
from pipedoctor.facts.interpreter import Interpreter
from pipedoctor.facts.libraries import Libraries, Library, Unmet
from pipedoctor.facts.limits import Limits, Rlimit
from pipedoctor.facts.live import LiveGpu, LiveJob, LivePoint, LiveProcess, Trend
from pipedoctor.facts.loader import Loader
from pipedoctor.facts.logind import Logind
from pipedoctor.facts.memory import Memory, MemoryLimit
from pipedoctor.facts.node import Node
from pipedoctor.facts.node_probe import NodeProbe
from pipedoctor.facts.observation import (
    FetchShares,
    HotLine,
    KernelWait,
    MainShares,
    Observation,
    Quantiles,
    WorkerShares,
)
from pipedoctor.facts.packages import Distribution, Packages, Shared
from pipedoctor.facts.paths import Clearable, Disk, Hang, Mount, PathFact, Paths
from pipedoctor.facts.pipeline import (
    Contents,
    Costs,
    Growth,
    Pipeline,
    Setting,
    Shares,
    Trial,
)
from pipedoctor.facts.ports import Listener, Ports
from pipedoctor.facts.project_record import ProjectRecord, RecordFile
from pipedoctor.facts.record import SECTIONS, Facts, MalformedRecordError
from pipedoctor.facts.record_drift import Drifted, RecordDrift
from pipedoctor.facts.requirements import Bound, Missing, Requirements
from pipedoctor.facts.shm import Segment, Shm
from pipedoctor.facts.site import Launcher, Site, Slurm
from pipedoctor.facts.source import Source
from pipedoctor.facts.threads import Threads
from pipedoctor.facts.torch_build import Pin, TorchBuild
from pipedoctor.facts.torch_import import TorchImport
from pipedoctor.facts.variables import Variables
from pipedoctor.facts.window import Window
from pipedoctor.facts.world import Filesystem, Filesystems, World

__all__ = [
    "SECTIONS",
    "Accelerators",
    "BenchDecode",
    "BenchDisk",
    "BenchLoader",
    "BenchTransfer",
    "Bound",
    "Clearable",
    "Clobbered",
    "ColdRead",
    "Conda",
    "CondaPackage",
    "Contents",
    "Costs",
    "Cpu",
    "DataSet",
    "DataSets",
    "Decoder",
    "Device",
    "Disk",
    "Distribution",
    "Drifted",
    "Fact",
    "Facts",
    "FetchShares",
    "Filesystem",
    "Filesystems",
    "Fleet",
    "Gpu",
    "Growth",
    "Hang",
    "Host",
    "HotLine",
    "ImageStack",
    "InstalledFiles",
    "Interpreter",
    "KernelWait",
    "Launcher",
    "Libraries",
    "Library",
    "Limits",
    "Listener",
    "LiveGpu",
    "LiveJob",
    "LivePoint",
    "LiveProcess",
    "Loader",
    "Logind",
    "MainShares",
    "MalformedRecordError",
    "Memory",
    "MemoryLimit",
    "Missing",
    "ModifiedDistribution",
    "Mount",
    "Node",
    "NodeGroup",
    "NodeProbe",
    "NodeProperty",
    "NumaNode",
    "Observation",
    "OneThread",
    "Packages",
    "Part",
    "PathFact",
    "Paths",
    "PciDevice",
    "Pin",
    "Pipeline",
    "Ports",
    "ProjectRecord",
    "PropertyColumn",
    "Quality",
    "Quantiles",
    "Quota",
    "RecordDrift",
    "RecordFile",
    "ReferenceNode",
    "Requirements",
    "Rlimit",
    "Sample",
    "Segment",
    "Setting",
    "Shared",
    "Shares",
    "Shm",
    "Site",
    "Slurm",
    "Source",
    "Spread",
    "Threads",
    "TorchBuild",
    "TorchImport",
    "Trend",
    "Trial",
    "Unmet",
    "UnreadableError",
    "Variables",
    "Window",
    "WorkerShares",
    "World",
    "Xid",
]
