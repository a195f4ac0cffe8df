"""
Which statements about GPUs were seen on a real one: a line on the page of each check.

The table beside this file is written by `tools/make_docs.py` from the recordings in
`tests/machines` that `sh dev.sh gpu` made.
"""

import re
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.check.model import Check

NOT_SEEN = "Not seen on a real GPU."
OWN_PACK = "pipedoctor"
_TABLE = Path(__file__).with_name("gpu_evidence.json")
_GPU_WORDS = re.compile(
    r"\b(?:GPUs?|CUDA\w*|NVIDIA\w*|NVML|cuDNN|NCCL|Xid|PCIe|pin_memory|non_blocking)\b"
)
_NO_CLAIM = re.compile(r"^```.*?^```$|https?://\S+", re.MULTILINE | re.DOTALL)
"""Examples and addresses say nothing of GPUs themselves."""


class Recording(msgspec.Struct, frozen=True):
    """What a report of `sh dev.sh gpu` says of itself."""

    name: str
    driver: str
    date: str
    dry_run: bool
    seen: dict[str, str] = {}
    """Check -> the trial in which its statement came true."""

    @property
    def label(self) -> str:
        """``NVIDIA H100 80GB HBM3 (driver 580.159.04, 2026-11-25)``."""
        return f"{self.name} (driver {self.driver}, {self.date})"


class GpuEvidence(msgspec.Struct, frozen=True):
    """By the names of checks: where a statement came true, and where one was only silent."""

    seen: dict[str, str] = {}
    silent: dict[str, str] = {}


def read_evidence() -> GpuEvidence:
    """The table that is installed with this package."""
    return msgspec.json.decode(_TABLE.read_bytes(), type=GpuEvidence)


def claims_about_gpus(check: Check[Any]) -> bool:
    """Does its title or its page speak of GPUs?"""
    return bool(_GPU_WORDS.search(f"{check.title}\n{_NO_CLAIM.sub('', check.doc)}"))


def describe_evidence(check: Check[Any], evidence: GpuEvidence) -> str:
    """The line for its page; empty where it says nothing of GPUs, or is not ours."""
    if check.pack != OWN_PACK or not claims_about_gpus(check):
        return ""
    if check.name in evidence.seen:
        return f"Seen on a real GPU: {evidence.seen[check.name]}."
    if check.name in evidence.silent:
        return f"Seen on a real GPU only where it finds nothing: {evidence.silent[check.name]}."
    return NOT_SEEN
