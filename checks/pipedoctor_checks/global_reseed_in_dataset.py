"""PDR506: does a data set seed the global generators?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import every, rewritten
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, by_file, spots, together


@check("PDR506", "A data set resets everybody's random numbers")
def global_reseed_in_dataset(source: Source, /) -> Findings:
    """
    Look for data sets that seed a global generator with a constant.

    ## Why it hurts

    Making the data set sets back the random numbers of the whole run, whatever seed
    the user gave: initial weights and orders change with the place where it is made.

    ## How it is judged

    `seed` is called in `__init__` or for items with a value that is fixed. A seed
    drawn at random, to give an image and its mask the same transform, is left alone.

    ## Sources

    - https://docs.python.org/3/library/random.html#random.seed
    - https://numpy.org/doc/stable/reference/random/generator.html
    """
    fixed = [e for e in source.of("global-seed") if e.details.get("constant")]
    for group in by_file(fixed):
        names = ", ".join(sorted({event.name for event in group}))
        yield at(
            spots(group),
            Severity.RISKS,
            f"{together(list(by_class(group)), 'set')} the global random numbers back:"
            f" {names}",
            in_code(
                "Draw from a generator of its own",
                "rng = random.Random(1234)",
                edits=every(map(rewritten, group)),
                unsafe="what is drawn elsewhere no longer depends on this seed",
            ),
            confidence=Confidence.LIKELY,
        )
