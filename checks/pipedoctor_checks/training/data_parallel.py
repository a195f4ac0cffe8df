"""PDR407: is DataParallel used?"""

import re
import shlex

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.facts import Gpu, Source
from pipedoctor.facts.code_events.training import DataParallelUse
from pipedoctor.facts.source import Event
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.code_finding import (
    group_by_function,
    list_spots,
    make_code_finding,
    name_functions,
)
from pipedoctor_checks._shared.own_names import choose_expression

_EVALUATION_NAMES = compile_lazily(
    r"eval|test|valid(?:at|$)|demo|infer|predict|generate|sampl(?:e|ing)(?!r)", re.IGNORECASE
)
"""Files and functions that use a model without training it."""


@check("PDR407", "DataParallel drives all GPUs from one process")
def data_parallel(source: Source, gpu: Gpu | None, /) -> Findings:
    """
    Look for `torch.nn.DataParallel`.

    ## Why it hurts

    One process scatters each batch from the first GPU, copies the model in each step
    and is limited by Python's GIL; torch recommends DistributedDataParallel even on a
    single machine.

    ## How it is judged

    It is called where a model is trained. Not reported: calls in conditions on it or with
    explicit devices in a file that offers DistributedDataParallel as well, calls next to a
    warning about it, models that are unwrapped again once their weights are loaded, and
    functions and files that only evaluate or draw samples. If this machine is known to have
    fewer than two GPUs, it is a note. Reported once per project.

    ## Bad example

    ```python
    model = torch.nn.DataParallel(model)
    ```

    ## Good example

    ```python
    model = torch.nn.parallel.DistributedDataParallel(model)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    - https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """
    one = gpu is None or len(gpu.devices) <= 1
    training = {loop.at.path for loop in source.loops if loop.role == "train"}
    trained = [
        group
        for group in group_by_function(source.select_events(DataParallelUse))
        if not _EVALUATION_NAMES.search(_function_name(group))
        and (group[0].at.path in training or not _EVALUATION_NAMES.search(_file_name(group)))
    ]
    if trained:
        yield make_code_finding(
            list_spots(event for group in trained for event in group),
            Severity.NOTE if one else Severity.SLOWS,
            f"{name_functions(trained, 'drive')} all GPUs from one process",
            in_code(
                "Use DistributedDataParallel with one process per GPU", _distribute(trained[0][0])
            ),
            gpus=len(gpu.devices) if gpu else None,
        )


def _file_name(group: list[Event[DataParallelUse]]) -> str:
    return group[0].at.path.rpartition("/")[2]


def _function_name(group: list[Event[DataParallelUse]]) -> str:
    return group[0].function


def _distribute(event: Event[DataParallelUse]) -> str:
    """What replaces the call, in its own names; empty: they are not known."""
    model = choose_expression(event.details.model, "")
    target = choose_expression(event.details.target, "")
    if not (model and target):
        return ""
    script = shlex.quote(event.at.path)
    return (
        "import os\n\n"
        'torch.distributed.init_process_group("nccl")\n'
        'rank = int(os.environ["LOCAL_RANK"])\n'
        "torch.cuda.set_device(rank)\n"
        f"{target} = torch.nn.parallel.DistributedDataParallel(\n"
        f"    {model}.to(rank), device_ids=[rank]\n)\n"
        "# a DistributedSampler for each loader of training, told the epoch by set_epoch\n"
        f"# start it with: torchrun --standalone --nproc-per-node=gpu {script}"
    )
