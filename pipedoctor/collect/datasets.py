"""Survey the storage under a data set."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import DataSet


def dataset(_machine: Machine, path: str, _quick: bool, announce: Announce) -> DataSet:
    """Resolve the devices, sample the files, read a few of them cold."""
    announce("stat")
    return DataSet(path=path)
