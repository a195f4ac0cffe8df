"""The image of PyTorch for a CUDA that an older driver runs."""

import re

from pipedoctor.facts.log import Log
from pipedoctor.versions import is_at_least

_IMAGE = re.compile(
    r"(?P<name>(?:docker\.io/)?pytorch/pytorch):(?P<torch>\d\.\d{1,2}\.\d)-cuda\d{1,2}\.\d"
    r"-cudnn\d-(?P<kind>runtime|devel)"
)
_CUDA_12 = "12.6"
"""The oldest CUDA of the images from torch 2.8 on."""
_BEFORE = "2.7.1"
"""The last torch whose images have CUDA 11.8, for drivers from 450 on."""


def find_older_image(image: str, driver_cuda: str) -> str:
    """
    The same release for an older CUDA; empty: `image` is none of PyTorch's, or too old.

    `driver_cuda` is what nvidia-smi prints, ``12.2``; empty: not known. Tags are those of
    hub.docker.com/r/pytorch/pytorch.
    """
    match = _IMAGE.fullmatch(image)
    if match is None or not is_at_least(match["torch"], "2.1"):
        return ""
    torch, cuda, cudnn = match["torch"], "11.8", 9
    if is_at_least(torch, "2.8"):
        known = bool(driver_cuda) and is_at_least(driver_cuda, _CUDA_12)
        torch, cuda = (torch, _CUDA_12) if known else (_BEFORE, cuda)
    elif not is_at_least(torch, "2.4"):
        cudnn = 8
    return f"{match['name']}:{torch}-cuda{cuda}-cudnn{cudnn}-{match['kind']}"


def find_images(log: Log, cause: str) -> dict[str, str]:
    """``older_image``, and ``run_older_image``, the command of the log with it."""
    image = log.find_value(cause, "image")
    have = log.find_value(cause, "have") or _read_number(log.find_value(cause, "found"))
    older = find_older_image(image, have)
    if not older or older == image:
        return {}
    command = log.names.get("docker_run", "")
    run = {"run_older_image": command.replace(image, older)} if image in command else {}
    return {"older_image": older, **run}


def _read_number(found: str) -> str:
    """``12.4`` of the 12040 that torch finds."""
    return f"{int(found) // 1000}.{int(found) % 1000 // 10}" if found.isdecimal() else ""
