"""Read the environment variables that decide what is loaded; no other one."""

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Variables
from pipedoctor.facts.variables import COLLECTED_VARIABLES
from pipedoctor.runtime.lanes import Announce


def variables(machine: Machine, _announce: Announce) -> Variables:
    """Those of the examined process; one that is set to nothing counts as set."""
    environ = machine.environ
    return Variables(
        values={name: environ[name] for name in COLLECTED_VARIABLES if name in environ}
    )
