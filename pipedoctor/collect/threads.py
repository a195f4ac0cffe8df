"""Read which thread counts the environment asks numeric libraries for."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Threads
from pipedoctor.facts.threads import asked_by


def threads(machine: Machine, announce: Announce) -> Threads:
    """Read the job's environment."""
    announce("read the environment")
    return asked_by(machine.environ)
