"""PDR949: the code requests a GPU that this process does not see."""

import shlex
from collections.abc import Iterator

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor_checks._shared.advice import advise_launch
from pipedoctor_checks.crashes._log_check import log_check
from pipedoctor_checks.crashes._rank_gpus import ALL_GPUS, START_RANKS, request_gpus, set_device

_CAUSE = "invalid_device_ordinal"
_SET_DEVICE = set_device("Count visible GPUs from 0, and start no more ranks than there are GPUs")
_FIRST_DEVICE = in_code(
    "Use a GPU that this process sees: they are counted from 0, in CUDA_VISIBLE_DEVICES, too",
    'device = torch.device("cuda:0")',
)
_LOAD_TO_CPU = in_code(
    "Load the checkpoint, which was saved on another GPU, to the CPU first",
    'state = torch.load(path, map_location="cpu")  # then load_state_dict(state), to(device)',
)
_ENOUGH = "Request as many GPUs as there are ranks"
_MORE_GPUS = (ALL_GPUS, *request_gpus(_ENOUGH, _ENOUGH))
_DEVICE = compile_lazily(
    r"((?<!\S)(?:--?(?:device|gpu|gpu[-_]ids?)[= ]|device=)(?:cuda:)?)[1-9]\d{0,2}(?!\S)"
)
_RANKS = compile_lazily(r"--nproc[-_]per[-_]node[= ]\S+")


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """The launch of the log with a rank for each GPU, where it shows one."""
    launch = log.find_value(_CAUSE, "launch").strip()
    try:
        words = tuple(shlex.split(_RANKS.sub("--nproc-per-node=gpu", launch)))
    except ValueError:  # a quote that is never closed
        words = ()
    if words:
        launched = advise_launch("Start one rank for each GPU", argv=words)
        return (launched, _SET_DEVICE, *_MORE_GPUS)
    if own := tuple(_use_first_gpu(log)):
        return (*own, *_MORE_GPUS)
    if any("deserialize object" in one.text for one in log.find_seen(_CAUSE)):
        return (_LOAD_TO_CPU, *_MORE_GPUS)
    ranks = any(one.rank for one in log.find_seen(_CAUSE))
    return (*((_SET_DEVICE, START_RANKS) if ranks else (_FIRST_DEVICE,)), *_MORE_GPUS)


def _use_first_gpu(log: Log) -> Iterator[Remedy]:
    """In the user's own option, of which the log shows the number or the whole command."""
    title = "Use a GPU that this process sees: they are counted from 0"
    command = log.names.get("python", "")
    if _DEVICE.search(command):
        yield advise_launch(title, snippet=_DEVICE.sub(r"\g<1>0", command))
    elif "of-trainer" in log.find_ids(_CAUSE):
        yield in_code("Ask for no more GPUs than there are", 'Trainer(..., devices="auto")')
    elif "of-yolo" in log.find_ids(_CAUSE):
        yield advise_launch(f"{title}: pass --device 0 (device=0 in the command `yolo`)")


@log_check(
    "PDR949",
    "A GPU is requested that is not visible",
    summary="The code requests a GPU that this process does not see",
    remedies=_choose_remedies,
)
def invalid_device_ordinal() -> None:
    """
    Find a GPU index that the process does not see.

    ## Why it hurts

    With `CUDA_VISIBLE_DEVICES` the first visible GPU is 0, and a job with more ranks
    than GPUs requests GPUs that do not exist.

    ## How it is judged

    CUDA rejects the index, or torch reports how many GPUs there are.

    ## Sources

    - https://github.com/LuyaooChen/uninformed-students-pytorch/issues/3
    - https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html
    """
