"""
Strings in quoted code: what a user wrote between quotes leaves in no redacted report.

Words of the trade stay: what they say decides what a finding is about.
"""

import re

from pipedoctor.lazy_pattern import compile_lazily

HIDDEN_LITERAL = "..."
PUBLIC_LITERALS = frozenset(
    "cuda cpu mps xpu cuda:0 fork spawn forkserver file_system file_descriptor thread process"  # noqa: SIM905
    " loky r w a b rb wb ab rt wt r+ rb+ RGB RGBA L BGR utf-8 utf8 ascii latin-1 ignore"
    " replace strict train val valid validation test eval fit predict __main__ __name__ image"
    " images label labels target targets input inputs x y data epoch step loss seed worker"
    " worker_id num_workers batch_size pin_memory shuffle prefetch_factor persistent_workers"
    " bilinear nearest bicubic mean sum none numpy torch pil pt np float16 bfloat16 float32"
    " int8 int64 nccl gloo mpi cudnn env:// auto max min high highest medium".split()
)
"""Values that libraries define, and names that everybody gives."""

_LITERAL = compile_lazily(
    r"(?P<prefix>\b[rRbBuUfFtT]{1,2}|(?<![\w\\]))"
    r"(?P<quote>\"\"\"|'''|\"|')(?P<text>(?:(?!(?P=quote))(?:\\.|[^\\]))*)(?P<end>(?P=quote)|\Z)",
    re.DOTALL,
)

_PRIVATE_ATTRIBUTE = compile_lazily(r"(?:_[a-z]\w{0,40})?|:memory:")
"""What an edit of ours names between quotes: ``_file_pid``; and nothing at all."""


def mask_literals(code: str) -> str:
    """Put ``'...'`` in place of every string of an expression, though it may be cut."""
    if "'" not in code and '"' not in code:
        return code
    return _LITERAL.sub(_mask_literal, code)


def mask_literal_value(value: str) -> str:
    """The value of a string of code, if everybody uses it, else ``...``."""
    return value if _is_public(value) else HIDDEN_LITERAL


def _is_public(value: str) -> bool:
    return value in PUBLIC_LITERALS or _PRIVATE_ATTRIBUTE.fullmatch(value) is not None


def _mask_literal(match: re.Match[str]) -> str:
    if match["end"] and _is_public(match["text"]):
        return match[0]
    return f"{match['prefix']}{match['quote']}{HIDDEN_LITERAL}{match['quote']}"
