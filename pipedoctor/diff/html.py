"""A comparison as one HTML page: the answer, values side by side, the rest folded."""

from pipedoctor.diff import sentences
from pipedoctor.diff.model import Diff
from pipedoctor.report.html_page import render_page


def render(diff: Diff) -> str:
    """Write it as a page that needs nothing but itself."""
    return render_page(
        "What differs - pipedoctor",
        "diff.html.jinja",
        styles=("diff.css",),
        diff=diff,
        worst=_worst_severity(diff),
        sentences=sentences,
        chapters=list(sentences.split_chapters(diff, full=True)),
        remarks=list(sentences.write_remarks(diff, full=True)),
    )


def _worst_severity(diff: Diff) -> str:
    """The severity of the likeliest culprit, where a check judges it."""
    if not diff.is_comparable:
        return "unknown"
    if not diff.differences:
        return "well"
    fault = diff.differences[0].finding
    return fault.severity if fault is not None else ""
