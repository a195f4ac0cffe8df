"""Folders that a remedy needs, as a log tells them: of what was written, of a toolkit."""

import ntpath
import re

from pipedoctor.facts.log import Log

_CUDA_FOLDER = re.compile(r"(?P<parent>/\S{1,60}/)?cuda-(?P<version>\d{1,2}\.\d)(?!\S)")
_USUAL_PARENT = "/usr/local/"
"""Where a folder lies that was listed without its path."""


def find_folders(log: Log, cause: str) -> dict[str, str]:
    """
    ``output_folder``, which was missing, and ``fitting_toolkit``, of the CUDA of torch.

    Each only where signatures of the cause captured it: ``missing``, or a file that was
    ``written``; the ``cuda`` that is wanted, and ``toolkits`` that were listed.
    """
    found: dict[str, str] = {}
    written = log.find_value(cause, "written").replace("\\\\", "\\")
    if folder := log.find_value(cause, "missing") or ntpath.dirname(written):
        found["output_folder"] = folder
    wanted = log.find_value(cause, "cuda")
    for line in log.find_values(cause, "toolkits"):
        for one in _CUDA_FOLDER.finditer(line):
            if one["version"] == wanted:
                found["fitting_toolkit"] = f"{one['parent'] or _USUAL_PARENT}cuda-{wanted}"
    return found
