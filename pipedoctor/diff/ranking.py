"""Order differences: what checks judge, then what breaks pipelines most often."""

from collections.abc import Mapping, Sequence

import msgspec

from pipedoctor.diff.compare import FactDifference
from pipedoctor.diff.field_meanings import read_field_table
from pipedoctor.diff.majority import find_outliers
from pipedoctor.diff.model import Difference, DifferenceGroup, FoldedDifference
from pipedoctor.diff.values import format_values
from pipedoctor.facts.world_culprits import Culprits
from pipedoctor.versions import parse_version

NOISE = "noise"
_VERSION_JUMPS = {0: 3, 1: 2, 2: 1}
"""How far apart versions are whose first difference is in this part."""


def split_differences(
    differences: Sequence[FactDifference],
    culprits: Culprits,
    evidence: Mapping[str, Sequence[str]],
) -> tuple[list[Difference], list[FoldedDifference]]:
    """
    Split the differences into those to show and those to fold.

    `evidence` names the facts on which findings rest, by the code of the check.
    """
    by_field = {one.field: one for one in differences}
    rests = {field: code for code, fields in evidence.items() for field in fields}
    own: list[Difference] = []
    folded: dict[tuple[str, str], list[FactDifference]] = {}
    for one in differences:
        because = _find_fold_reason(one, by_field, rests)
        if because:
            alike = one.within and not because.startswith("evidence")
            group = one.row.field if alike else one.field
            folded.setdefault((group, because), []).append(one)
        else:
            own.append(_build_difference(one, culprits))
    return own, [_fold_differences(ones, why) for (_, why), ones in folded.items()]


def _find_fold_reason(
    one: FactDifference,
    by_field: Mapping[str, FactDifference],
    rests: Mapping[str, str],
) -> str:
    below = f"{one.field}."
    resting = (code for name, code in rests.items() if f"{name}.".startswith(below))
    code = next(resting, "")
    if code:
        return f"evidence of {code}"
    target = _find_source_field(one)
    if target and (target in by_field or _find_parent(target) in by_field):
        return f"follows {target}"
    if one.row.kind == "noise" or one.quiet or (one.row.kind == "echo" and not target):
        return NOISE
    return ""


def _find_source_field(one: FactDifference) -> str:
    """The field that it follows from: one of the same entry, or of the machine."""
    of = one.row.of
    if not of:
        return ""
    sibling = one.row.field.rpartition("]")[0] + f"].{of}"
    if one.within and sibling in read_field_table():
        return f"{one.within}.{of}"
    return of.replace("{}", one.entry)


def _find_parent(field: str) -> str:
    """The entry that a field belongs to: a package that is missing has no version."""
    return field.rpartition(".")[0] if "]." in field else field


def _fold_differences(ones: Sequence[FactDifference], because: str) -> FoldedDifference:
    first = ones[0]
    return FoldedDifference(
        field=first.field,
        title=format_title(first),
        values=format_values(first),
        because=because,
        count=len(ones),
    )


def format_title(one: FactDifference) -> str:
    """What differs, in words; the name of a field where nobody has any."""
    words = one.row.title
    return words.replace("{}", one.entry) if words else one.field


def _build_difference(one: FactDifference, culprits: Culprits) -> Difference:
    package = one.row.field.startswith(("packages.entries[]", "conda.packages[]"))
    row = culprits.find_by_package(one.entry) if package else culprits.find(one.row.worth)
    tickets = row.tickets if row else 0
    why = (
        f"{row.component}: the cause of {tickets} of {culprits.tickets} solved tickets"
        if row
        else ""
    )
    group: DifferenceGroup = "setting"
    if one.row.kind == "version" or one.row.kind == "limit":  # noqa: PLR1714 (narrows)
        group = one.row.kind
    return Difference(
        group=group,
        section=one.field.partition(".")[0],
        field=one.field,
        title=format_title(one),
        values=format_values(one),
        apart=find_outliers(one.values, one.row.near),
        component=row.component if row else "",
        tickets=tickets,
        why=why,
    )


_GROUP_TIERS = {"version": 1, "limit": 2, "setting": 4}


def rank_differences(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """
    The likeliest culprit first.

    What a check judges; versions, limits and settings of parts that broke pipelines
    before, the most frequent first, notes of checks between them; then all others.
    """
    order = sorted(differences, key=_sort_key)
    return tuple(msgspec.structs.replace(one, rank=rank) for rank, one in enumerate(order, 1))


def _sort_key(one: Difference) -> tuple[int, int, int, str]:
    if one.finding is not None:
        return (0 if one.finding.severity != "note" else 3, 0, 0, "")
    tier = _GROUP_TIERS[one.group] + (0 if one.tickets else 4)
    return (tier, -one.tickets, -_measure_jump(one), one.title)


def _measure_jump(one: Difference) -> int:
    """How far the versions are apart: a major one is 3."""
    versions = [str(v.value) for v in one.values if v.state == "known"]
    if len(versions) < len(one.values):
        return max(_VERSION_JUMPS.values())
    parts = [parse_version(version) for version in versions]
    length = max(map(len, parts))
    padded = [part + (0,) * (length - len(part)) for part in parts]
    first = next(
        (i for i, same in enumerate(zip(*padded, strict=True)) if len(set(same)) > 1),
        length,
    )
    return _VERSION_JUMPS.get(first, 0)
