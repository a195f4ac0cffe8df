"""A pasted text -> the facts that it tells, and for the rest why they are unknown."""

from dataclasses import dataclass

from pipedoctor.facts import SECTIONS, Fact, Facts
from pipedoctor.text import block as blocks
from pipedoctor.text import (
    devices,
    labels,
    listings,
    paste_cleanup,
    processors,
    system,
)
from pipedoctor.text import packages as listed
from pipedoctor.text import torch as torches

MAX_TEXT_BYTES = 8 << 20
"""Bytes of the largest text that is read; tickets have some ten thousand."""
NOT_IN_TEXT = "not in this text"

_BYTES_BEFORE = 64 << 10
_BYTES_AFTER = 256 << 10
"""Bytes that are read before and after the first words of a collector."""
_HARD_SPACE = "\N{NO-BREAK SPACE}".encode()
_CERTAIN_MARK = b"used to build pytorch"
_COLLECTOR_WORDS = (
    *(_CERTAIN_MARK, b"pytorch version", b"is cuda available", b"cuda runtime version"),
    *(b"gpu models and configuration", b"nvidia driver version", b"sys.platform"),
    *(b"torch install path", b"[pip3] ", b"[pip] ", b"[conda] ", b"[uv] "),
)


class NoEnvironmentError(Exception):
    """The text describes no environment; the message says why."""


@dataclass(frozen=True, kw_only=True)
class PastedEnvironment:
    """What a text tells of one environment."""

    facts: Facts
    environments: int = 1
    """How many it describes; only the first whole one is judged."""

    @property
    def source(self) -> str:
        """What was judged, in words."""
        if self.environments > 1:
            return f"the first of {self.environments} environments in a text"
        return "the text of a collector such as torch.utils.collect_env"


def read_environment(data: bytes) -> PastedEnvironment:
    """Read what somebody pasted; raises NoEnvironmentError."""
    if len(data) > MAX_TEXT_BYTES:
        message = f"larger than {MAX_TEXT_BYTES >> 20} MiB: no ticket is"
        raise NoEnvironmentError(message)
    text = paste_cleanup.convert_to_utf8(data)
    if text is None:
        message = "binary data"
        raise NoEnvironmentError(message)
    text = text.replace(_HARD_SPACE, b" ")
    part = _cut_environment(text).decode(errors="replace")
    found = (
        blocks.find_first_block(paste_cleanup.clean_lines(labels.split_glued_fields(part)))
        if part
        else None
    )
    found = found or _read_lists(text[:_BYTES_AFTER].decode(errors="replace"))
    if found is None:
        message = "no output of torch.utils.collect_env or its like in it"
        raise NoEnvironmentError(message)
    block, count = found
    return PastedEnvironment(facts=_build_facts(block), environments=count)


def _read_lists(text: str) -> tuple[blocks.EnvironmentBlock, int] | None:
    """The environment that plain lists tell of; None: there are none."""
    return blocks.find_first_block(listings.rewrite_listings(text, paste_cleanup.clean_lines(text)))


def _cut_environment(text: bytes) -> bytes:
    """Cut out the part of a long text in which a collector speaks; empty: nowhere."""
    lower = text.lower()
    places = [place for word in _COLLECTOR_WORDS if (place := lower.find(word)) >= 0]
    if not places:
        return b""
    first = max(min(places), lower.find(_CERTAIN_MARK) - _BYTES_BEFORE)
    return text[max(0, first - _BYTES_BEFORE) : first + _BYTES_AFTER]


def _build_facts(block: blocks.EnvironmentBlock) -> Facts:
    packages = listed.read_packages(block)
    torch = torches.read_torch_build(block, packages)
    gpu = devices.read_gpu(block, torch)
    sections: tuple[Fact | None, ...] = (
        system.read_site(block),
        system.read_interpreter(block),
        system.read_shm(block),
        system.read_variables(block),
        system.read_threads(block),
        packages,
        torch,
        torches.read_torch_import(block),
        gpu,
        devices.read_accelerators(block, torch, gpu),
        devices.read_libraries(block),
        processors.read_cpu(block),
    )
    known = [fact for fact in sections if fact is not None]
    told = {fact.section for fact in known}
    unknown = {name: NOT_IN_TEXT for name in SECTIONS if name not in told}
    if "gpu" in unknown:
        unknown["gpu"] = devices.explain_missing_gpu(block) or NOT_IN_TEXT
    return Facts(*known, unknown=unknown)
