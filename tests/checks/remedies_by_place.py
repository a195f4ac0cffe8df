"""Places where a job runs, and what a finding tells one to type there."""

from pipedoctor.check import Finding
from pipedoctor.facts import Site, Slurm

PLACES = {
    "bare": Site(system="linux"),
    "docker": Site(system="linux", container="docker"),
    "kubernetes": Site(system="linux", container="kubernetes"),
    "slurm": Site(system="linux", slurm=Slurm(job_id="1")),
}


def list_commands(finding: Finding) -> list[str]:
    """The shell line of each remedy, else its snippet; empty where it is advice in words."""
    return [remedy.shell or remedy.snippet for remedy in finding.remedies]


def describe_remedies(finding: Finding) -> list[str]:
    """The wording of each remedy, where it is applied and how long it holds."""
    return [f"{one.title} ({one.place.value}, {one.lasts.value})" for one in finding.remedies]
