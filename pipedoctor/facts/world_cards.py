"""The table of product names of GPUs, for texts that say no more than a name."""

from typing import ClassVar

from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import Row
from pipedoctor.lazy_pattern import compile_lazily


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
        words = _split_words(name)
        fitting = [card for card in self.cards if _is_variant(words, _split_words(card.name))]
        return max(fitting, key=lambda card: len(_split_words(card.name)), default=None)


def _split_words(name: str) -> list[str]:
    text = name.lower().replace("(", " ").replace(")", " ").replace("-", " ")
    return [word for word in text.split() if word not in _MAKER_WORDS]


def _is_variant(words: list[str], family: list[str]) -> bool:
    rest = words[len(family) :]
    return words[: len(family)] == family and all(map(_is_variant_word, rest))


def _is_variant_word(word: str) -> bool:
    return word in _VARIANT_WORDS or bool(_VARIANT_PATTERN.fullmatch(word))


_MAKER_WORDS = frozenset({"nvidia", "tesla", "grid"})
_VARIANT_WORDS = frozenset(
    {"pcie", "pci", "e", "nvl", "sxm", "hbm2", "hbm2e", "hbm3", "hbm3e", "dgxs", "fhhl"}
    | {"laptop", "mobile", "gpu", "max", "q", "with", "design", "generation", "mig"}
    | {"super", "ti", "pascal"}
)
_VARIANT_PATTERN = compile_lazily(r"\d+(gb|[qbac])|sxm\d|\d+g(\.\d+gb)?")
"""Memory (``40gb``), a vGPU's profile (``8q``), a socket, a MIG slice (``1g.5gb``)."""
