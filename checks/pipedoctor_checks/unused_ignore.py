"""PDR690: does a comment, or a line of a baseline, silence nothing?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts.silenced import Silenced
from pipedoctor.facts.source import Spot
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR690", "A comment silences nothing")
def unused_ignore(silenced: Silenced, /) -> Findings:
    """
    Look for comments `# pipedoctor: ignore[name]`, and a baseline, without effect.

    ## Why it hurts

    A comment that outlives its finding hides the next one on the same line.

    ## How it is judged

    All checks that the comment names have judged the code, and none of them found
    anything on its line. A comment without names stands for all checks. A finding of
    a `--baseline` is gone when its check judged its file and does not find it again.

    ## Sources

    - https://docs.astral.sh/ruff/rules/unused-noqa/
    """
    for ignore in silenced.unused:
        names = ", ".join(ignore.names) or "anything"
        yield at(
            [ignore.at],
            Severity.NOTE,
            f"Nothing is found here that this comment silences: {names}",
            in_code("Remove the comment"),
        )
    if silenced.stale:
        spots = [Spot(path=stale.path, line=stale.line) for stale in silenced.stale]
        number = len(spots)
        known = f"{number} findings that it knows are" if number > 1 else "1 finding is"
        yield at(
            spots,
            Severity.NOTE,
            f"The baseline is stale: {known} gone",
            in_code("Write the baseline again, with --write-baseline"),
            gone=[stale.told for stale in silenced.stale],
        )
