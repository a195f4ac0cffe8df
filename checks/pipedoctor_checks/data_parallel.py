"""PDR407: is DataParallel used?"""

import re

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Gpu, Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_function, spots, together

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

    It is called where a model is trained; not in what is asked for it or given its
    devices, nor beside a warning of it, nor in a file that only evaluates. Where
    this machine is known to have fewer than two GPUs it is a note. It is said once of a
    project.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    - https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """
    one = gpu is None or len(gpu.devices) <= 1
    trained = [
        group
        for group in by_function(source.of("data-parallel"))
        if not _ASIDE.search(f"{group[0].at.path.rpartition('/')[2]} {_name(group)}")
    ]
    if trained:
        yield at(
            spots(event for group in trained for event in group),
            Severity.NOTE if one else Severity.SLOWS,
            f"{together(trained, 'drive')} all GPUs from one process",
            in_code("Use DistributedDataParallel, a process for each GPU"),
            gpus=len(gpu.devices) if gpu else None,
        )


def _name(group: list[Event]) -> str:
    return group[0].function
