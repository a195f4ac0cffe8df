"""What torch itself warned of, above the block or in it."""

import re

MAX_WARNING_CHARS = 400
"""Characters of a warning that are kept."""

_WARNING_HINTS = ("cuda", "CUDA", "NumPy", "_ARRAY_API", "NVIDIA driver", "NVML")
_WARNING_PATTERN = re.compile(
    r"(?:\S{1,60} with CUDA capability sm_\d+ is not compatible)"
    r"|with CUDA capability sm_\d+ is not compatible"
    r"|supports CUDA capabilities (?:sm_\d+|compute_\d+)"
    r"|which is of cuda capability \d+\.\d+\."
    r"|driver on your system is too old"
    r"|Failed to initialize NumPy"
    r"|_ARRAY_API not found"
    r"|compiled using NumPy 1\.x"
    r"|CUDA unknown error"
    r"|CUDA initialization: "
    r"|Error 80[234]: "
    r"|Found no NVIDIA driver on your system"
)


def find_warning(line: str) -> str:
    """The warning in this line, bounded; empty: there is none."""
    if not any(hint in line for hint in _WARNING_HINTS):
        return ""
    match = _WARNING_PATTERN.search(line)
    if match is None:
        return ""
    begin = max(0, match.start() - MAX_WARNING_CHARS // 4)
    return line[begin : begin + MAX_WARNING_CHARS]
