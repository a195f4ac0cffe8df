"""PDR690: does a comment, or a line of a baseline, silence nothing?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.facts.silenced import Silenced
from pipedoctor.facts.source import Spot
from pipedoctor_checks._shared.code_finding import make_code_finding


@check("PDR690", "A suppression comment has no effect")
def unused_ignore(silenced: Silenced, /) -> Findings:
    """
    Look for `# pipedoctor: ignore[name]` comments and baseline entries without effect.

    ## Why it hurts

    A comment that outlives its finding hides the next one on the same line.

    ## How it is judged

    All checks named in the comment have run on the code, and none of them found
    anything on its line. A comment without names covers all checks. A finding in a
    `--baseline` is obsolete if its check ran on its file and no longer reports it.

    ## Sources

    - https://docs.astral.sh/ruff/rules/unused-noqa/
    """
    for ignore in silenced.unused:
        names = ", ".join(ignore.names) or "anything"
        yield make_code_finding(
            [ignore.at],
            Severity.NOTE,
            f"No finding is suppressed by this comment: {names}",
            in_code("Remove the comment"),
        )
    if silenced.stale:
        spots = [Spot(path=stale.path, line=stale.line) for stale in silenced.stale]
        number = len(spots)
        known = (
            f"{number} of its findings no longer exist"
            if number > 1
            else "1 of its findings no longer exists"
        )
        yield make_code_finding(
            spots,
            Severity.NOTE,
            f"The baseline is stale: {known}",
            in_code("Write the baseline again with --write-baseline"),
            gone=[stale.told for stale in silenced.stale],
        )
