"""PDR210: does an item hide every error?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR210", "Bad samples are replaced in silence")
def swallowed_exception_in_item(source: Source, /) -> Findings:
    """
    Look for handlers in code for items that catch everything and tell nobody.

    ## Why it hurts

    A missing disk or a broken file then looks like data: the job trains on
    replacements, and nobody learns how many.

    ## How it is judged

    `except:` or `except Exception` neither raises, nor logs, nor uses the error.
    Handlers of certain errors, and logged retries, are a policy.

    ## Sources

    - https://docs.astral.sh/ruff/rules/try-except-pass/
    - https://docs.astral.sh/ruff/rules/blind-except/
    """
    events = [e for e in source.of("swallowed") if e.item]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.RISKS,
            f"{first.function} catches {first.name} and goes on in silence",
            in_code(
                "Catch only what is expected, and count it",
                "except OSError as error:\n    log.warning('%s: %s', path, error)",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
