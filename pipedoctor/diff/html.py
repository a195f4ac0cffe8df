"""A comparison as one HTML page: the answer, values side by side, the rest folded."""

from pipedoctor.diff import words
from pipedoctor.diff.model import Diff
from pipedoctor.report.page import page


def render(diff: Diff) -> str:
    """Write it as a page that needs nothing but itself."""
    return page(
        "What differs - pipedoctor",
        "diff.html.jinja",
        styles=("diff.css",),
        diff=diff,
        worst=_worst(diff),
        said=words,
        chapters=list(words.chapters(diff, full=True)),
        remarks=list(words.remarks(diff, full=True)),
    )


def _worst(diff: Diff) -> str:
    """The severity of the likeliest culprit, where a check judges it."""
    if not diff.comparable:
        return "unknown"
    if not diff.differences:
        return "well"
    fault = diff.differences[0].finding
    return fault.severity if fault is not None else ""
