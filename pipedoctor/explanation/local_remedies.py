"""The remedies of a cause for every kind of place, the one to type first in front."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from pipedoctor.check import Finding, Remedy
from pipedoctor.check.remedy_steps import group_steps
from pipedoctor.explanation.model import SuggestedRemedy
from pipedoctor.facts import Site, Slurm
from pipedoctor.report.target_shell import TargetShell

EXAMPLE_SITES: Mapping[str, Site] = {
    "bare": Site(system="linux"),
    "docker": Site(system="linux", container="docker"),
    "kubernetes": Site(system="linux", container="kubernetes"),
    "slurm": Site(system="linux", slurm=Slurm(job_id="")),
}
_ALTERNATIVELY = "Alternatively "
"""How the title begins of what stands behind another way."""
_LOOKING = (_ALTERNATIVELY, "If ", "Look ", "Read ", "Record ")
"""How a title begins of what only looks, or helps in some cases: no change is behind it."""
_OF_SHELL = (("ulimit",), ("unset",), ("env",), ["export"])
"""How a remedy begins that holds in the shell in which it is typed."""
_OF_DOCKER = ("services:", "RUN ", "ENV ")
"""How a snippet begins that stands for a command where Compose or a Dockerfile is used."""
_OF_MANIFEST = (*_OF_DOCKER, "spec:\n", "#SBATCH ", "#BSUB ")
"""The same, or of what Kubernetes cannot patch, or of a batch script."""
_FILE_LINES = ("#", "tmpfs ")
"""How a snippet begins that goes into a file for later."""


class PlaceFindings(msgspec.Struct, frozen=True):
    """What the page of an illness finds in this place, and in every other."""

    at: str
    here: tuple[Finding, ...]
    elsewhere: Mapping[str, tuple[Finding, ...]]


def build_remedies(places: PlaceFindings, target: TargetShell) -> Iterator[SuggestedRemedy]:
    """Those of the findings here, then those of every kind of place."""
    fits: tuple[str, ...]
    at = places.at
    for remedy in _iter_remedies(places.elsewhere.get("bare", ())):
        if _is_typed_inside(remedy, at, target):
            yield from _suggest(remedy, (at,), target, for_here=True)
    for remedy in _iter_remedies(places.here):
        fits = (at,) if remedy.fits and at else ()
        yield from _suggest(remedy, fits, target, for_here=True)
    where: dict[Remedy, tuple[str, ...]] = {}
    for name, found in places.elsewhere.items():
        for remedy in _iter_remedies(found):
            where[remedy] = (*where.get(remedy, ()), name)
    for remedy, names in where.items():
        fits = () if len(names) == len(EXAMPLE_SITES) else names
        yield from _suggest(remedy, fits, target, for_here=not fits or at in {"", *fits})


def _is_typed_inside(remedy: Remedy, at: str, target: TargetShell) -> bool:
    """Does it set something in the shell inside the container, whose start nobody knows?"""
    names = target.names
    known = at != "docker" or "inside" not in names or "docker_run" in names
    if known or remedy.title.startswith(_LOOKING):
        return False
    return (remedy.argv[:1] or remedy.snippet.split()[:1]) in _OF_SHELL


def build_advice(
    remedies: Iterable[Remedy], at: str, target: TargetShell
) -> Iterator[SuggestedRemedy]:
    """Those that only the log asks for."""
    for remedy in remedies:
        fits = tuple(launcher.name.lower() for launcher in remedy.fits)
        fits = (at,) if "bare" in fits and _is_typed_inside(remedy, at, target) else fits
        yield from _suggest(remedy, fits, target, for_here=not fits or at in {"", *fits})


def order_remedies(remedies: Iterable[SuggestedRemedy]) -> tuple[SuggestedRemedy, ...]:
    """
    Put what to type first in front, each once; steps that belong together stay so.

    What is for this place comes before the others, what only goes into a file for
    later, or asks somebody else, behind them, and a change of code behind a command for
    just this place, unless that only looks.
    """
    groups = [*group_steps(_drop_duplicates(remedies))]
    here = [group[0] for group in groups if group[0].for_here]
    code = bool(here) and here[0].place == "code"

    def key(group: tuple[SuggestedRemedy, ...]) -> tuple[bool, bool, bool]:
        first = group[0]
        launches = first.listing.startswith(_OF_MANIFEST)
        listed = first.listing.startswith(_FILE_LINES) if first.listing else _is_asked(first)
        later = not first.shell and listed and not launches
        done = first.shell or launches
        fitted = done and first.fits and not first.title.startswith(_LOOKING)
        return not first.for_here, later, code and not fitted

    ordered = [one for group in sorted(groups, key=key) for one in group]
    return (*map(_lead, ordered[:1]), *ordered[1:])


def _lead(remedy: SuggestedRemedy) -> SuggestedRemedy:
    """The same where nothing stands before it."""
    if not remedy.title.startswith(_ALTERNATIVELY):
        return remedy
    title = remedy.title.removeprefix(_ALTERNATIVELY)
    return replace(remedy, title=f"{title[:1].upper()}{title[1:]}")


def _is_asked(remedy: SuggestedRemedy) -> bool:
    """Is it for somebody else, while others are typed now?"""
    return remedy.title.startswith("Ask ")


def _suggest(
    remedy: Remedy, fits: tuple[str, ...], target: TargetShell, *, for_here: bool
) -> Iterator[SuggestedRemedy]:
    return SuggestedRemedy.for_shell(remedy, target, fits=fits, for_here=for_here)


def _iter_remedies(findings: Iterable[Finding]) -> Iterator[Remedy]:
    for finding in findings:
        yield from finding.remedies


def _drop_duplicates(remedies: Iterable[SuggestedRemedy]) -> Iterator[SuggestedRemedy]:
    """Of those that are alike, the one for this place stays."""
    every = [*remedies]
    here = {_identify(one) for one in every if one.for_here}
    seen: set[tuple[str, str, str]] = set()
    for one in every:
        key = _identify(one)
        if key not in seen and (one.for_here or key not in here):
            seen.add(key)
            yield one


def _identify(remedy: SuggestedRemedy) -> tuple[str, str, str]:
    keys = remedy.snippet.startswith(_OF_DOCKER)  # however they are called
    return ("" if keys else remedy.title, remedy.shell, remedy.snippet)
