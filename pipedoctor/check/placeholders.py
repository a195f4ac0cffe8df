"""Words that stand for what only the user knows: the title tells that they are to be replaced."""

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_PLACEHOLDER = compile_lazily(
    r"(?<![\w./$%-])(?:COMMAND|DATA|DIR|IMAGE\.sif|NODE|PID|TRAIN|UNIT\.service|(?:hf_)?YOUR_TOKEN)"
    r"(?![\w.=/-])|(?<=deployment/)TRAIN\b|(?<=//)PROXY(?=:)"
)


def mark_placeholders(remedy: Remedy) -> Remedy:
    """Name in the title what is to be replaced, unless it does so already."""
    words = (*remedy.argv, *remedy.snippet.splitlines())
    found = {match[0]: None for word in words for match in _PLACEHOLDER.finditer(word)}
    unsaid = [f"`{name}`" for name in found if name not in remedy.title]
    if not unsaid:
        return remedy
    title = f"{remedy.title} (replace {' and '.join(unsaid)} with yours)"
    return replace(remedy, title=title, advice=True)
