"""PDR410: does a prefetcher copy on a stream of its own without recording it?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR410", "Memory of another stream may be reused too early")
def side_stream_no_record(source: Source, /) -> Findings:
    """
    Look for copies on a side stream without `record_stream`.

    ## Why it hurts

    The allocator knows only the stream on which memory was taken: it may hand it out
    again while the main stream still reads, and the batch is garbage now and then.

    ## How it is judged

    A copy without blocking stands in `torch.cuda.stream(...)`, and the class never
    calls `record_stream`.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html
    - https://github.com/meta-pytorch/torchrec/issues/3485
    """
    for group in by_class(source.of("side-stream")):
        yield at(
            spots(group),
            Severity.RISKS,
            f"{group[0].function} copies on a stream of its own without record_stream",
            in_code("Record it", "batch.record_stream(torch.cuda.current_stream())"),
            confidence=Confidence.POSSIBLE,
        )
