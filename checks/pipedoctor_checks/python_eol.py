"""PDR864: does this Python still get security fixes?"""

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import Interpreter
from pipedoctor.facts.world_torch import Pythons


@check("PDR864", "This Python gets no more fixes")
def python_eol(interpreter: Interpreter, pythons: Pythons, /) -> Findings:
    """
    Note that the support of this Python series has ended.

    ## Why it hurts

    New wheels of torch, numpy and Pillow are no longer built for it, so that every
    remedy that needs a newer one ends here.

    ## How it is judged

    The end had come when the table was checked; ends to come are not guessed.

    ## Sources

    - https://devguide.python.org/versions/
    """
    row = pythons.find(interpreter.version)
    if row is None:
        reason = f"Python {interpreter.version or '(no version)'} is not in the table"
        raise CannotJudge(reason)
    if row.ended:
        yield Finding(
            severity=Severity.NOTE,
            summary=f"Python {row.python} gets no more fixes since {row.ends}",
            evidence={"python": interpreter.version, "ended": row.ends},
        )
