"""PDR407: is DataParallel used?"""

import re

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Gpu, Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at

_ASIDE = re.compile(r"eval|test|demo|infer|predict|generate", re.IGNORECASE)
"""Files and functions that use a model, and do not train it."""


@check("PDR407", "One process drives all GPUs")
def data_parallel(source: Source, gpu: Gpu | None, /) -> Findings:
    """
    Look for `torch.nn.DataParallel`.

    ## Why it hurts

    One process scatters each batch from the first GPU, copies the model in each step
    and is held up by Python's lock; torch recommends DistributedDataParallel even on
    a single machine.

    ## How it is judged

    It is called somewhere. Where this machine is known to have fewer than two GPUs it
    is a note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    - https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """
    one = gpu is None or len(gpu.devices) <= 1
    for event in source.of("data-parallel"):
        if _ASIDE.search(f"{event.at.path.rpartition('/')[2]} {event.function}"):
            continue
        yield at(
            [event.at],
            Severity.NOTE if one else Severity.SLOWS,
            f"{event.function} drives all GPUs from one process",
            in_code("Use DistributedDataParallel, a process for each GPU"),
            gpus=len(gpu.devices) if gpu else None,
        )
