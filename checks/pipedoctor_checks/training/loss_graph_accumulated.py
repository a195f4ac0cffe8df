"""PDR409: does a sum or a list of losses keep every graph?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import KeptGraph
from pipedoctor_checks._shared.code_finding import make_code_finding


@check("PDR409", "The autograd graph of every step is kept", fix="code", subject="loop")
def loss_graph_accumulated(source: Source, /) -> Findings:
    """
    Look for sums and lists of losses that are still attached to their graphs.

    ## Why it hurts

    `total += loss` and `losses.append(loss)` keep the whole graph of every step, until
    memory runs out.

    ## How it is judged

    A loss on which `backward()` is called in the loop is added to a variable, or put into
    a list, that is never backpropagated itself, without `.detach()` or `.item()`; or it is
    given to a method of the project that sums it up in an attribute, as meters do. A list
    that is cleared or made anew in the loop is left alone.

    ## Bad example

    ```python
    total = 0.0
    for rows in loader:
        loss = model(rows)
        loss.backward()
        total += loss
    ```

    ## Good example

    ```python
    total = 0.0
    for rows in loader:
        loss = model(rows)
        loss.backward()
        total += loss.detach()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
    """
    for event in source.select_events(KeptGraph):
        loss = event.details.loss
        yield make_code_finding(
            [event.at],
            Severity.RISKS,
            f"{event.function} keeps the autograd graph of each step in {event.name}",
            in_code(
                "Detach the loss",
                f"{loss}.detach()",
                edits=replace_pieces(event, {loss: ".detach()"}),
            ),
            confidence=Confidence.LIKELY,
        )
