"""PDR690: does a comment silence nothing?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts.silenced import Silenced
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR690", "A comment silences nothing")
def unused_ignore(silenced: Silenced, /) -> Findings:
    """
    Look for comments `# pipedoctor: ignore[name]` without effect.

    ## Why it hurts

    A comment that outlives its finding hides the next one on the same line.

    ## How it is judged

    All checks that the comment names have judged the code, and none of them found
    anything on its line. A comment without names stands for all checks.

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
