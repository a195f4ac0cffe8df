"""The first line: why it works on one machine and not on the other."""

from collections.abc import Sequence

from pipedoctor.diff.model import Diff, Difference, Party
from pipedoctor.report.words import clean
from pipedoctor.units import many


def answer(diff: Diff) -> str:
    """One sentence that names the likeliest culprit, without its full stop."""
    if not diff.comparable:
        return f"Nothing could be compared: {_why_not(diff)}"
    if not diff.differences:
        return _same(diff)
    first = diff.differences[0]
    names = [side.name for side in diff.sides]
    begin = "Most likely culprit: "
    if diff.apart is not None:
        alone, of = diff.apart.alone_in, diff.apart.of
        begin = (
            f"{names[diff.apart.side]} stands apart, in {alone} of"
            f" {many(of, 'difference')}; most likely culprit: "
        )
    return clean(begin + _culprit(first, names))


def _culprit(first: Difference, names: Sequence[str]) -> str:
    fault = first.finding
    if fault is None:
        said = said_of(first, names)
        doubt = "" if first.tickets else ", though no ticket is known of it"
        return f"{first.title}: {said}{doubt}"
    have = _those(first, names, "known")
    free = _those(first, names, "missing")
    rest = f", not in {free}" if free else ""
    return f"{fault.name} in {have}{rest}: {fault.summary}"


def _those(first: Difference, names: Sequence[str], state: str) -> str:
    """Names of the sides in this state: ``a.json and b.json``."""
    found = [
        name
        for name, value in zip(names, first.values, strict=True)
        if value.state == state
    ]
    return listed(found)


def said_of(one: Difference, names: Sequence[str]) -> str:
    """``2.5.1 in a.json, 2.13.0 in b.json and c.json``; unknown sides are left out."""
    groups: dict[str, list[str]] = {}
    for name, value in zip(names, one.values, strict=True):
        if value.state != "unknown":
            groups.setdefault(value.shown, []).append(name)
    return ", ".join(f"{shown} in {listed(who)}" for shown, who in groups.items())


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:  # noqa: PLR2004  (nothing to join)
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _same(diff: Diff) -> str:
    facts = many(diff.compared, "fact")
    folded = (
        f"; {many(diff.trifles, 'trifle')} aside, which -v shows" if diff.folded else ""
    )
    return clean(
        f"No difference in {facts} that are known of {_who(diff.sides)}{folded}"
    )


def _who(sides: Sequence[Party]) -> str:
    names = [side.name for side in sides]
    return listed(names)


def _why_not(diff: Diff) -> str:
    return clean(f"{_who(diff.sides)} tell nothing of the same things")


def command(diff: Diff) -> str:
    """What cures the culprit, where its check says so in a command."""
    if not diff.differences or diff.differences[0].finding is None:
        return ""
    remedies = diff.differences[0].finding.remedies
    return next((cure.shell for cure in remedies if cure.shell), "")
