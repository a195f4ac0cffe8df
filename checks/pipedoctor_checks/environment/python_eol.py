"""PDR864: does this Python still get security fixes?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter
from pipedoctor.facts.world_torch import Pythons


@check("PDR864", "This Python version no longer receives fixes")
def python_eol(interpreter: Interpreter, pythons: Pythons, /) -> Findings:
    """
    Report that the support of this Python series has ended.

    ## Why it hurts

    New wheels of torch, numpy and Pillow are no longer built for it, so that remedies
    that need a newer wheel are not available.

    ## How it is judged

    The end of support had passed when the table was last checked; future dates are not
    predicted.

    ## Sources

    - https://devguide.python.org/versions/
    """
    row = pythons.find(interpreter.version)
    if row is None:
        reason = f"Python {interpreter.version or '(no version)'} is not in the table"
        raise CannotJudge(reason)
    if row.has_ended:
        yield Finding(
            severity=Severity.NOTE,
            summary=f"Python {row.python} has received no fixes since {row.ends}",
            evidence={"python": interpreter.version, "ended": row.ends},
        )
