"""PDR606: is `pin_memory_device` given?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import remove_argument
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import argument_confidence, loader_name
from pipedoctor_checks._shared.start_method import oldest_torch


@check("PDR606", "An argument that torch ignores", fix="code", merges=True)
def pin_memory_device(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `pin_memory_device`.

    ## Why it hurts

    From torch 2.9 on it is ignored with a warning: the current accelerator is used.

    ## How it is judged

    The argument is given, known, and not empty.

    ## Bad example

    ```python
    loader = DataLoader(dataset, num_workers=4, pin_memory=True, pin_memory_device="cuda")
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, num_workers=4, pin_memory=True)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    least = oldest_torch(source, torch)[0] or "0"
    for loader in source.loaders:
        device = loader.arguments.get("pin_memory_device")
        if device is not None and device.value != "" and device.how != "unknown":
            yield make_code_finding(
                [device.at or loader.at],
                Severity.NOTE,
                f"{loader_name(loader)} gives pin_memory_device, ignored from torch 2.9 on",
                in_code(
                    "Remove the argument",
                    edits=remove_argument(loader, "pin_memory_device", '""')
                    if device.how == "literal"
                    else (),
                    unsafe=""
                    if device.value == "cuda" or is_at_least(least, "2.9")
                    else "torch before 2.9 pins memory for this device",
                ),
                confidence=argument_confidence(device),
                pin_memory_device=device.text,
            )
