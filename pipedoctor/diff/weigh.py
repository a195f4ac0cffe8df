"""Order differences: what checks judge, then what breaks pipelines most often."""

from collections.abc import Mapping, Sequence

import msgspec

from pipedoctor.diff.apart import apart
from pipedoctor.diff.compare import Found
from pipedoctor.diff.meaning import table
from pipedoctor.diff.model import Difference, Folded, Group
from pipedoctor.diff.show import values
from pipedoctor.facts.world_culprits import Culprits
from pipedoctor.versions import numbers

NOISE = "noise"
_JUMPS = {0: 3, 1: 2, 2: 1}
"""How far apart versions are whose first difference is in this part."""


def sorted_out(
    found: Sequence[Found], culprits: Culprits, evidence: Mapping[str, Sequence[str]]
) -> tuple[list[Difference], list[Folded]]:
    """
    Differences that stand for themselves, and those that do not.

    `evidence` names the facts on which findings rest, by the code of the check.
    """
    by_field = {one.field: one for one in found}
    rests = {field: code for code, fields in evidence.items() for field in fields}
    own: list[Difference] = []
    folded: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        because = _because(one, by_field, rests)
        if because:
            alike = one.within and not because.startswith("evidence")
            group = one.row.field if alike else one.field
            folded.setdefault((group, because), []).append(one)
        else:
            own.append(_difference(one, culprits))
    return own, [_folded(ones, why) for (_, why), ones in folded.items()]


def _because(
    one: Found, by_field: Mapping[str, Found], rests: Mapping[str, str]
) -> str:
    below = f"{one.field}."
    resting = (code for name, code in rests.items() if f"{name}.".startswith(below))
    code = next(resting, "")
    if code:
        return f"evidence of {code}"
    target = _target(one)
    if target and (target in by_field or _above(target) in by_field):
        return f"follows {target}"
    if one.row.kind == "noise" or one.quiet or (one.row.kind == "echo" and not target):
        return NOISE
    return ""


def _target(one: Found) -> str:
    """The field that it follows from: one of the same entry, or of the machine."""
    of = one.row.of
    if not of:
        return ""
    sibling = one.row.field.rpartition("]")[0] + f"].{of}"
    if one.within and sibling in table():
        return f"{one.within}.{of}"
    return of.replace("{}", one.entry)


def _above(field: str) -> str:
    """The entry that a field belongs to: a package that is missing has no version."""
    return field.rpartition(".")[0] if "]." in field else field


def _folded(ones: Sequence[Found], because: str) -> Folded:
    first = ones[0]
    return Folded(
        field=first.field,
        title=title(first),
        values=values(first),
        because=because,
        count=len(ones),
    )


def title(one: Found) -> str:
    """What differs, in words; the name of a field where nobody has any."""
    words = one.row.title
    return words.replace("{}", one.entry) if words else one.field


def _difference(one: Found, culprits: Culprits) -> Difference:
    package = one.row.field.startswith(("packages.entries[]", "conda.packages[]"))
    row = culprits.of_package(one.entry) if package else culprits.find(one.row.worth)
    tickets = row.tickets if row else 0
    why = (
        f"{row.component}: the cause of {tickets} of {culprits.tickets} solved tickets"
        if row
        else ""
    )
    group: Group = "setting"
    if one.row.kind == "version" or one.row.kind == "limit":  # noqa: PLR1714 (narrows)
        group = one.row.kind
    return Difference(
        group=group,
        section=one.field.partition(".")[0],
        field=one.field,
        title=title(one),
        values=values(one),
        apart=apart(one.values, one.row.near),
        component=row.component if row else "",
        tickets=tickets,
        why=why,
    )


_TIERS = {"version": 1, "limit": 2, "setting": 4}


def ranked(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """
    The likeliest culprit first.

    What a check judges; versions, limits and settings of parts that broke pipelines
    before, the most frequent first, notes of checks between them; then all others.
    """
    order = sorted(differences, key=_key)
    return tuple(
        msgspec.structs.replace(one, rank=rank) for rank, one in enumerate(order, 1)
    )


def _key(one: Difference) -> tuple[int, int, int, str]:
    if one.finding is not None:
        return (0 if one.finding.severity != "note" else 3, 0, 0, "")
    tier = _TIERS[one.group] + (0 if one.tickets else 4)
    return (tier, -one.tickets, -_jump(one), one.title)


def _jump(one: Difference) -> int:
    """How far the versions are apart: a major one is 3."""
    known = [str(v.value) for v in one.values if v.state == "known"]
    if len(known) < len(one.values):
        return max(_JUMPS.values())
    parts = [numbers(version) for version in known]
    length = max(map(len, parts))
    padded = [part + (0,) * (length - len(part)) for part in parts]
    first = next(
        (i for i, same in enumerate(zip(*padded, strict=True)) if len(set(same)) > 1),
        length,
    )
    return _JUMPS.get(first, 0)
