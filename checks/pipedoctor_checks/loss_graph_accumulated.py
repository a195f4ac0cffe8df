"""PDR409: does a sum of losses keep every graph?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import replaced
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR409", "The graph of every step is kept")
def loss_graph_accumulated(source: Source, /) -> Findings:
    """
    Look for sums of losses that still hang on their graphs.

    ## Why it hurts

    `total += loss` keeps the whole graph of every step, until memory ends.

    ## How it is judged

    A loss on which `backward()` is called in the loop is added to a variable that is
    never backpropagated itself, without `.detach()` or `.item()`.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
    """
    for event in source.of("graph-kept"):
        loss = str(event.details["loss"])
        yield at(
            [event.at],
            Severity.RISKS,
            f"{event.function} keeps the graph of each step in {event.name}",
            in_code(
                "Take it off its graph",
                f"{loss}.detach()",
                edits=replaced(event, {loss: ".detach()"}),
            ),
            confidence=Confidence.LIKELY,
        )
