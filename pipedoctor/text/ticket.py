"""A pasted text -> the facts that it tells, and for the rest why they are unknown."""

from dataclasses import dataclass

from pipedoctor.facts import SECTIONS, Fact, Facts
from pipedoctor.text import block as blocks
from pipedoctor.text import clean, devices, labels, listings, place, processors
from pipedoctor.text import packages as listed
from pipedoctor.text import torch as torches

LARGEST = 8 << 20
"""Bytes of the largest text that is read; tickets have some ten thousand."""
NOT_SAID = "not in this text"

_BEFORE = 64 << 10
_AFTER = 256 << 10
"""Bytes that are read before and after the first words of a collector."""
_HARD_SPACE = "\N{NO-BREAK SPACE}".encode()
_SURE = b"used to build pytorch"
_WORDS = (
    *(_SURE, b"pytorch version", b"is cuda available", b"cuda runtime version"),
    *(b"gpu models and configuration", b"nvidia driver version", b"sys.platform"),
    *(b"torch install path", b"[pip3] ", b"[pip] ", b"[conda] ", b"[uv] "),
)


class NoTicket(Exception):  # noqa: N818  (what the input is, not what we did)
    """The text describes no environment; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
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


def read(data: bytes) -> Ticket:
    """Read what somebody pasted; raises NoTicket."""
    if len(data) > LARGEST:
        message = f"larger than {LARGEST >> 20} MiB: no ticket is"
        raise NoTicket(message)
    text = clean.utf8(data)
    if text is None:
        message = "binary data"
        raise NoTicket(message)
    text = text.replace(_HARD_SPACE, b" ")
    part = _around(text).decode(errors="replace")
    found = blocks.first(clean.lines(labels.unglued(part))) if part else None
    found = found or _listed(text[:_AFTER].decode(errors="replace"))
    if found is None:
        message = "no output of torch.utils.collect_env or its like in it"
        raise NoTicket(message)
    block, count = found
    return Ticket(facts=_facts(block), environments=count)


def _listed(text: str) -> tuple[blocks.Block, int] | None:
    """The environment that plain lists tell of; None: there are none."""
    return blocks.first(listings.rewritten(text, clean.lines(text)))


def _around(text: bytes) -> bytes:
    """Cut out the part of a long text in which a collector speaks; empty: nowhere."""
    lower = text.lower()
    places = [place for word in _WORDS if (place := lower.find(word)) >= 0]
    if not places:
        return b""
    first = max(min(places), lower.find(_SURE) - _BEFORE)
    return text[max(0, first - _BEFORE) : first + _AFTER]


def _facts(block: blocks.Block) -> Facts:
    packages = listed.packages(block)
    torch = torches.torch_build(block, packages)
    gpu = devices.gpu(block, torch)
    sections: tuple[Fact | None, ...] = (
        place.site(block),
        place.interpreter(block),
        place.shm(block),
        place.variables(block),
        place.threads(block),
        packages,
        torch,
        torches.torch_import(block),
        gpu,
        devices.accelerators(block, torch, gpu),
        devices.libraries(block),
        processors.cpu(block),
    )
    known = [fact for fact in sections if fact is not None]
    told = {fact.section for fact in known}
    unknown = {name: NOT_SAID for name in SECTIONS if name not in told}
    if "gpu" in unknown:
        unknown["gpu"] = devices.why_no_gpu(block) or NOT_SAID
    return Facts(*known, unknown=unknown)
