"""The first line: why it works on one machine and not on the other."""

from collections.abc import Sequence

from pipedoctor.diff.model import ComparedSide, Diff, Difference
from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_count


def write_answer(diff: Diff) -> str:
    """One sentence that names the likeliest culprit, without its full stop."""
    if not diff.is_comparable:
        return f"Nothing could be compared: {_explain_no_overlap(diff)}"
    if not diff.differences:
        return _describe_equal(diff)
    first = diff.differences[0]
    names = [side.name for side in diff.sides]
    begin = "Most likely culprit: "
    if diff.apart is not None:
        alone, of = diff.apart.alone_in, diff.apart.of
        begin = (
            f"{names[diff.apart.side]} is the outlier in {alone} of"
            f" {format_count(of, 'difference')}; most likely culprit: "
        )
    return clean_text(begin + _describe_culprit(first, names))


def _describe_culprit(first: Difference, names: Sequence[str]) -> str:
    fault = first.finding
    if fault is None:
        values = describe_values(first, names)
        doubt = "" if first.tickets else ", but no solved ticket had this cause"
        return f"{first.title}: {values}{doubt}"
    have = _list_sides(first, names, "known")
    free = _list_sides(first, names, "missing")
    rest = f", not in {free}" if free else ""
    return f"{fault.name} in {have}{rest}: {fault.summary}"


def _list_sides(first: Difference, names: Sequence[str], state: str) -> str:
    """Names of the sides whose value is in this state: ``a.json and b.json``."""
    matching = [
        name for name, value in zip(names, first.values, strict=True) if value.state == state
    ]
    return join_names(matching)


def describe_values(one: Difference, names: Sequence[str]) -> str:
    """``2.5.1 in a.json, 2.13.0 in b.json and c.json``; unknown sides are left out."""
    groups: dict[str, list[str]] = {}
    for name, value in zip(names, one.values, strict=True):
        if value.state != "unknown":
            groups.setdefault(value.shown, []).append(name)
    return ", ".join(f"{shown} in {join_names(who)}" for shown, who in groups.items())


def join_names(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:  # noqa: PLR2004  (nothing to join)
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _describe_equal(diff: Diff) -> str:
    facts = format_count(diff.compared, "fact")
    folded = (
        f"; {format_count(diff.folded_count, 'insignificant difference')} hidden (-v shows all)"
        if diff.folded
        else ""
    )
    return clean_text(f"No difference in {facts} known for {_list_names(diff.sides)}{folded}")


def _list_names(sides: Sequence[ComparedSide]) -> str:
    names = [side.name for side in sides]
    return join_names(names)


def _explain_no_overlap(diff: Diff) -> str:
    return clean_text(f"{_list_names(diff.sides)} have no facts in common")


def find_command(diff: Diff) -> str:
    """What cures the culprit, where its check says so in a command."""
    if not diff.differences or diff.differences[0].finding is None:
        return ""
    remedies = diff.differences[0].finding.remedies
    typed = next((remedy.shell for remedy in remedies if remedy.shell), "")
    return typed.replace("\n", " && ")
