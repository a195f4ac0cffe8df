"""Which files have to do with BatchNorm: themselves, or by what they import."""

import re
from functools import cached_property
from typing import NamedTuple

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.scope import Module

_BATCH_NORM_PATTERN = re.compile(rb"BatchNorm|resnet\d|ResNet\d*\(|models\.__dict__")

_NETWORK_WORDS = (b"resnet", b"ResNet", b"models.__dict__")
"""One of these, or BatchNorm, stands where that pattern matches; they are found sooner."""
_NORM_PATTERN = re.compile(
    rb"^(?!\s*class\b)[^#\n]*(?:(?<!Sync)BatchNorm\w*\s*\("
    rb"|(?<![=!<>])[=:]\s*(?:\w+\.)*BatchNorm|\breturn\s+(?:\w+\.)*BatchNorm"
    rb"|\bpartial\(\s*(?:\w+\.)*BatchNorm)",
    re.MULTILINE,
)
"""
A norm that is made or handed over.

The norm of all GPUs takes the place of another, and says nothing of what is normalised; nor
does a class that is asked for, ``cls == nn.BatchNorm2d``, or that derives from a norm.
"""
_CONVOLUTION_PATTERN = re.compile(rb"\bConv[123]d\(")
_ROW_NORM_PATTERN = re.compile(
    rb"^(?!\s*class\b)[^#\n]*(?:BatchNorm1d\s*\(|(?<![=!<>])[=:]\s*(?:\w+\.)*BatchNorm1d\b(?!\.))",
    re.MULTILINE,
)
"""
Features without a map, for some. A class that is only asked for, ``isinstance(m,
nn.BatchNorm1d)``, normalises nothing.
"""
_LIBRARY_PATTERN = re.compile(rb"torchvision(?:\.|\s+import\b[^\n]*\b)models\b")
_CLASS_PATTERN = re.compile(rb"^(?=class\b|def\b)", re.MULTILINE)
_FLATTENING_PATTERN = re.compile(rb"\.(?:view|reshape)\([^\n]{0,80}(?:size\(0\)|shape\[0\])\s*\*")
"""``x.view(x.size(0) * x.size(1), -1)``: what becomes rows are parts of samples, and many."""
_SEQUENCE_PATTERN = re.compile(rb"\bConv(?!\w*[23]d)\w*\(")
_SINGLE_VALUE_PATTERN = re.compile(
    rb"Adaptive\w*Pool\dd\(\s*(?:output_size\s*=\s*)?\(?\s*1\b[^#]{0,200}?BatchNorm"
    rb"|adaptive_\w*pool\dd\([^()]*,\s*\(?\s*1\b[^#]{0,200}?(?:BatchNorm|\bbn)",
    re.DOTALL | re.MULTILINE,
)
"""
After what a channel of one sample may have a single value, for BatchNorm to fail on.

A map that is pooled to one value and then normalised. Any network by its name counts as well,
for some (Inception, DeepLab) do that. Behind a network that only convolves its maps, as a
ResNet does, pooling and linear layers change nothing.
"""


def _normalises_rows(text: bytes) -> bool:
    """
    Does a part of it normalise features without a map?

    What convolves sequences, and has no linear layer, has many values for a channel.
    """
    if b"BatchNorm1d" not in text:
        return False
    return any(
        _ROW_NORM_PATTERN.search(part)
        and not _FLATTENING_PATTERN.search(part)
        and (b"Linear" in part or not _SEQUENCE_PATTERN.search(part))
        for part in _CLASS_PATTERN.split(text)
    )


class _Mentions(NamedTuple):
    """What the text of one file speaks of."""

    convolves: bool
    normalises: bool
    single: bool

    @classmethod
    def find(cls, text: bytes) -> "_Mentions":
        """Look through the text of a file, once."""
        named = b"BatchNorm" in text
        parts = _CLASS_PATTERN.split(text) if named else []
        own = (part for part in parts if not _FLATTENING_PATTERN.search(part))
        normalises = any(map(_NORM_PATTERN.search, own))
        by_name = b"models.__dict__" in text and _LIBRARY_PATTERN.search(text) is not None
        single = named or by_name or b"adaptive_" in text
        return cls(
            b"Conv" in text and _CONVOLUTION_PATTERN.search(text) is not None,
            normalises,
            single
            and (
                by_name or _normalises_rows(text) or _SINGLE_VALUE_PATTERN.search(text) is not None
            ),
        )


class BatchNormUsage:
    """Follows the imports of one project, each file once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._details: dict[int, _Mentions] = {}
        self._mentions: dict[int, bool] = {}
        self._known_usage: dict[int, bool] = {}

    def is_used_near(self, module: Module) -> bool:
        """
        Does it, or a file of the project that it imports, use BatchNorm?

        Not where all of them only convolve maps: a channel of one sample has many values.
        """
        if not self._is_used_anywhere:
            return False
        known = self._known_usage.get(id(module))
        if known is None:
            near = self._import_closure(module)
            used = any(map(self._mentions_batch_norm, near))
            known = self._known_usage[id(module)] = used and not self._only_convolves(near)
        return known

    def joins_graphs(self, module: Module) -> bool:
        """Does it, or a file that it imports, make one graph of a batch of them, with DGL?"""
        return any(b"dgl.batch(" in one.file.content for one in self._import_closure(module))

    def _only_convolves(self, modules: list[Module]) -> bool:
        """Is all that is normalised in these files a map that is convolved?"""
        found = [self._describe(one) for one in modules]
        if any(one.single for one in found):
            return False
        return any(one.convolves for one in found) or not any(one.normalises for one in found)

    def _describe(self, module: Module) -> _Mentions:
        known = self._details.get(id(module))
        if known is None:
            known = self._details[id(module)] = _Mentions.find(module.file.content)
        return known

    @cached_property
    def _is_used_anywhere(self) -> bool:
        """Does any file of the project? Most have nothing to do with it."""
        return any(map(self._mentions_batch_norm, self.project.modules))

    def _mentions_batch_norm(self, module: Module) -> bool:
        known = self._mentions.get(id(module))
        if known is None:
            text = module.file.content
            known = self._mentions[id(module)] = b"BatchNorm" in text or any(
                word in text and _BATCH_NORM_PATTERN.search(text) for word in _NETWORK_WORDS
            )
        return known

    def _import_closure(self, module: Module) -> list[Module]:
        found, queue = {id(module): module}, [module]
        while queue:
            one = queue.pop()
            for other in self.project.find_imported_modules(one):
                if id(other) not in found:
                    found[id(other)] = other
                    queue.append(other)
        return [*found.values()]
