"""PDR606: is `pin_memory_device` given?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import without
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure
from pipedoctor_checks._start import least_torch


@check("PDR606", "An argument that torch ignores")
def pin_memory_device(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `pin_memory_device`.

    ## Why it hurts

    From torch 2.9 on it is ignored with a warning: the current accelerator is used.

    ## How it is judged

    The argument is given, known, and not empty.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    least = least_torch(source, torch)[0] or "0"
    for loader in source.loaders:
        device = loader.arguments.get("pin_memory_device")
        if device is not None and device.value != "" and device.how != "unknown":
            yield at(
                [device.at or loader.at],
                Severity.NOTE,
                f"{called(loader)} gives pin_memory_device, ignored from torch 2.9 on",
                in_code(
                    "Leave it out",
                    edits=without(loader, "pin_memory_device", '""')
                    if device.how == "literal"
                    else (),
                    unsafe=""
                    if device.value == "cuda" or reaches(least, "2.9")
                    else "torch before 2.9 pins for this device",
                ),
                confidence=sure(device),
                pin_memory_device=device.text,
            )
