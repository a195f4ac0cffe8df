"""Read which thread counts the environment asks numeric libraries for."""

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Threads
from pipedoctor.facts.threads import parse_thread_variables
from pipedoctor.runtime.lanes import Announce


def threads(machine: Machine, announce: Announce) -> Threads:
    """Read the job's environment."""
    announce("read the environment")
    return parse_thread_variables(machine.environ)
