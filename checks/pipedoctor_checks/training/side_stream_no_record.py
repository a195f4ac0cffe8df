"""PDR410: does a prefetcher copy on a stream of its own without recording it?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import SideStreamCopy
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_expression


@check("PDR410", "Memory of a side stream may be reused too early", subject="loop")
def side_stream_no_record(source: Source, /) -> Findings:
    """
    Look for copies on a side stream without `record_stream`.

    ## Why it hurts

    The allocator knows only the stream on which memory was allocated: it may reuse the
    memory while the main stream still reads it, and batches are occasionally corrupted.

    ## How it is judged

    A non-blocking copy is inside `torch.cuda.stream(...)`, and the class, or the file of a
    function, never calls `record_stream`.

    ## Bad example

    ```python
    class Prefetcher:
        def preload(self):
            with torch.cuda.stream(self.stream):
                self.rows = next(self.batches).cuda(non_blocking=True)

        def next(self):
            torch.cuda.current_stream().wait_stream(self.stream)
            return self.rows
    ```

    ## Good example

    ```python
    class Prefetcher:
        def preload(self):
            with torch.cuda.stream(self.stream):
                self.rows = next(self.batches).cuda(non_blocking=True)

        def next(self):
            torch.cuda.current_stream().wait_stream(self.stream)
            self.rows.record_stream(torch.cuda.current_stream())
            return self.rows
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html
    - https://github.com/meta-pytorch/torchrec/issues/3485
    """
    for group in group_by_class(source.select_events(SideStreamCopy)):
        details = group[0].details
        copied = details.copy or choose_expression(details.tensor, "batch")
        yield make_code_finding(
            list_spots(group),
            Severity.RISKS,
            f"{group[0].function} copies on a side stream without record_stream",
            in_code(
                "Call record_stream on the copy, where it is used",
                f"{copied}.record_stream(torch.cuda.current_stream())",
            ),
            confidence=Confidence.POSSIBLE,
        )
