"""ACM001: is /dev/shm as large as Acme's handbook wants it?"""

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.facts import Shm
from pipedoctor.units import MiB, format_size


@check("ACM001", "/dev/shm is smaller than the handbook says", after=("PDR701",))
def acme_shm_rule(shm: Shm, /, *, least: int = 1 * MiB) -> Findings:
    """
    Compare /dev/shm with the rule of the house.

    ## Why it hurts

    The operators will ask.

    ## How it is judged

    It has to hold `least` bytes.

    ## Sources

    - https://example.org/handbook
    """
    if shm.size < least:
        yield Finding(severity=Severity.NOTE, summary=f"{format_size(shm.size)} of /dev/shm")
