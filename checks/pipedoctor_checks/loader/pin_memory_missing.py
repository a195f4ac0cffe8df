"""PDR103: is a batch copied to the GPU without having been pinned?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, edit_arguments
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    find_gpu_code,
    format_argument,
    has_item_work,
    has_no_workers,
    is_copy_only,
    is_trial_dataset,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file
from pipedoctor_checks._shared.non_blocking_copy import (
    explain_unsafe_copy,
    find_blocking_copies,
    make_non_blocking,
)
from pipedoctor_checks._shared.training_loop import (
    find_device_copies,
    is_generating_loop,
    is_single_evaluation,
)

_EDITABLE = {"absent", "literal"}


@check(
    "PDR103",
    "Batches are copied to the GPU from pageable memory",
    fix="code",
    subject="loader",
    merges=True,
)
def pin_memory_missing(source: Source, /) -> Findings:
    """
    Look for loaders whose batches are copied to a device without being pinned.

    ## Why it hurts

    A copy from pageable memory passes through a staging buffer, and the process waits
    for it: `non_blocking=True` has no effect.

    ## How it is judged

    `pin_memory` is False or not given, all arguments are visible, and a loop fed by this loader
    copies its batches to a device. Not reported: loops driven by a framework, a value that is
    only the default of an option, workers that only copy data from memory (PDR111), and items
    or batches that are made on the GPU, which cannot be pinned.
    `accelerator.prepare` copies each batch, and pins none. Without workers nothing is pinned in
    advance: that is a note, and not reported at all if there are no workers on purpose, if only
    an evaluation in a single pass uses the loader, or if items are not known to do more than
    pick data from memory. An evaluation in a single pass, or one that generates text, is a
    note as well, and so is a dataset that is only tried out under the main guard of its own file.

    ## Bad example

    ```python
    def train(dataset, model):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
        for images in loader:
            loss = model(images.to("cuda"))
            loss.backward()
    ```

    ## Good example

    ```python
    def train(dataset, model):
        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
        for images in loader:
            loss = model(images.to("cuda", non_blocking=True))
            loss.backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    yield from merge_per_file(source, _judge_loaders(source))


def _judge_loaders(source: Source) -> Findings:
    wanted = [loader for loader in source.loaders if _needs_pinning(source, loader)]
    grave = {x.at.path for x in wanted if not _gains_little(source, x)}
    for loader in wanted:
        pinned = loader.get("pin_memory")
        moved = find_device_copies(source, loader)
        light = has_no_workers(loader) or loader.at.path not in grave
        there = next(copy.at for copy in moved if not copy.details.fresh)
        mine = edit_arguments(loader, pin_memory="True") if pinned.how in _EDITABLE else ()
        edits = combine_edits(
            [mine, make_non_blocking(find_blocking_copies(moved))]
            if find_blocking_copies(moved)
            else [mine]
        )
        yield make_code_finding(
            loader.places,
            Severity.NOTE if light else Severity.SLOWS,
            f"{loader_name(loader)} does not pin the batches that are copied to a device",
            in_code(
                "Pin the batches and copy without blocking",
                "DataLoader(..., pin_memory=True)\nbatch.to(device, non_blocking=True)",
                edits=edits,
                unsafe="pin_memory=False is set explicitly: it may be intended"
                if pinned.how == "literal"
                else explain_unsafe_copy(source, find_blocking_copies(moved)),
            ),
            confidence=Confidence.LIKELY,
            pin_memory=format_argument(pinned),
            copied_at=f"{there.path}:{there.line}",
        )


def _needs_pinning(source: Source, loader: LoaderCall) -> bool:
    """Do its batches go to a device, with nothing in the code against pinning?"""
    pinned = loader.get("pin_memory")
    off = pinned.how == "absent" or (pinned.is_known and pinned.value is False)
    if not off or pinned.how == "default" or loader.testing or is_copy_only(loader):
        return False
    if find_gpu_code(source, loader):
        return False
    if has_no_workers(loader):
        chosen = loader.get("num_workers").how == "literal"
        if chosen or not has_item_work(loader) or is_single_evaluation(source, loader):
            return False
    return any(not copy.details.fresh for copy in find_device_copies(source, loader))


def _gains_little(source: Source, loader: LoaderCall) -> bool:
    """Would pinning gain little, with no other loader of the file that needs it?"""
    tried = is_trial_dataset(source, loader)
    loops = [source.loops[number] for number in loader.fed]
    generates = bool(loops) and all(map(is_generating_loop, loops))
    once = is_single_evaluation(source, loader)
    return has_no_workers(loader) or once or generates or tried
