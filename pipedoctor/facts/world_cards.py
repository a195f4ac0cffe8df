"""The table of product names of GPUs, for texts that say no more than a name."""

import re
from typing import ClassVar

from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import Row


class Card(Row, frozen=True, kw_only=True):
    """A product name and its compute capability."""

    name: str
    capability: str


class GpuCapabilities(World, frozen=True, kw_only=True):
    """Only for texts that name a card; a live driver is asked instead."""

    section: ClassVar[str] = "gpu_capabilities"

    cards: tuple[Card, ...] = ()

    def find(self, name: str) -> Card | None:
        """
        The card of this product name; None where the name is not in the table.

        ``NVIDIA A100-SXM4-40GB`` is an A100: what follows a known name must be a
        variant that does not change the chip (memory, socket, laptop, a vGPU's or
        a MIG's share), else the name is another card that nobody listed.
        """
        words = _words(name)
        fitting = [card for card in self.cards if _is_variant(words, _words(card.name))]
        return max(fitting, key=lambda card: len(_words(card.name)), default=None)


def _words(name: str) -> list[str]:
    text = name.lower().replace("(", " ").replace(")", " ").replace("-", " ")
    return [word for word in text.split() if word not in _MAKERS]


def _is_variant(words: list[str], known: list[str]) -> bool:
    rest = words[len(known) :]
    return words[: len(known)] == known and all(map(_harmless, rest))


def _harmless(word: str) -> bool:
    return word in _VARIANTS or bool(_SHARE.fullmatch(word))


_MAKERS = frozenset({"nvidia", "tesla", "grid"})
_VARIANTS = frozenset(
    {"pcie", "pci", "e", "nvl", "sxm", "hbm2", "hbm2e", "hbm3", "hbm3e", "dgxs", "fhhl"}
    | {"laptop", "mobile", "gpu", "max", "q", "with", "design", "generation", "mig"}
    | {"super", "ti", "pascal"}
)
_SHARE = re.compile(r"\d+(gb|[qbac])|sxm\d|\d+g(\.\d+gb)?")
"""Memory (``40gb``), a vGPU's profile (``8q``), a socket, a MIG slice (``1g.5gb``)."""
