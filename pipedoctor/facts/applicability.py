"""What nobody asked for, or is not there to be judged: no gap in the examination."""

from collections.abc import Mapping
from typing import Literal

from pipedoctor.facts.accelerators import Accelerators
from pipedoctor.facts.base import Fact
from pipedoctor.facts.conda import Conda
from pipedoctor.facts.gpu import Gpu
from pipedoctor.facts.record import Facts
from pipedoctor.facts.source import Source

CodeSubject = Literal["", "loader", "item", "loop"]
"""What a check of code is about: loaders, code for items, loops over batches; or any code."""

NOT_COLLECTED = "not collected"
NO_LIBRARY = "libnvidia-ml.so.1 not found"
NO_CONDA = "is not a conda environment"
NOT_SELECTED = "not selected"
NOT_REQUESTED: Mapping[str, str] = {
    "log": "no log given, as to `pipedoctor explain LOG`",
    "fleet": "no reports of many nodes given, as to `fleet show FOLDER`",
    "datasets": "no --data given",
    "source": "no PATHS with code given",
    "record_drift": "no --against given",
    "installed_files": "no --verify-files given",
    "pipeline": "no --measure TARGET given",
    "loader": "no --workers, no DataLoader with literals in code, no running job",
}
"""By section: why it is missing where no argument asks for it."""
_OPTIONAL_SECTIONS = frozenset({*NOT_REQUESTED, "live", "silenced", "node_probe"})
"""Those that a plain examination of a machine does not collect."""
_OPTIONAL_PREFIX = "bench_"
_ABSENT_SUBJECTS: Mapping[CodeSubject, str] = {
    "": "PATHS hold no code that uses torch",
    "loader": "PATHS create no DataLoader",
    "item": "PATHS hold no dataset",
    "loop": "PATHS hold no loop over batches",
}


def is_applicable(facts: Facts, kind: type[Fact]) -> bool:
    """
    Is a missing section a gap, or did nobody ask for it or have what it describes?

    Judged by the reason alone and by other facts, so that a record gives the same.
    """
    section, reason = kind.section, facts.get_unknown_reason(kind)
    if reason == NOT_COLLECTED:
        return not (section in _OPTIONAL_SECTIONS or section.startswith(_OPTIONAL_PREFIX))
    if reason == NOT_REQUESTED.get(section):
        return False
    if kind is Conda:
        return not reason.endswith(NO_CONDA)
    return not (kind is Gpu and reason == NO_LIBRARY and not _may_have_gpu(facts))


def explain_absent_subject(source: Source, subject: CodeSubject) -> str:
    """Say that the code has nothing of this kind to judge; empty: it has."""
    present: dict[CodeSubject, bool] = {
        "": bool(source.files or source.loaders or source.loops or source.events),
        "loader": bool(source.loaders),
        "item": bool(source.datasets or source.loaders or any(e.item for e in source.events)),
        "loop": bool(source.loops) or any(e.loop >= 0 for e in source.events),
    }
    if not present[""]:
        return _ABSENT_SUBJECTS[""]
    return "" if present[subject] else _ABSENT_SUBJECTS[subject]


def is_absent_subject(reason: str) -> bool:
    """Was a check skipped because the code that was read has nothing for it to judge?"""
    return reason in _ABSENT_SUBJECTS.values()


def _may_have_gpu(facts: Facts) -> bool:
    """Does anything but the driver's library tell of an NVIDIA GPU, or is that not known?"""
    seen = facts.get(Accelerators)
    if seen is None or seen.pci is None:
        return True
    return bool(seen.nvidia_devices or seen.nvidia_nodes or seen.nvidia_module or seen.signs)
