"""Words that stand for what only the user knows: the title tells that they are to be replaced."""

from msgspec.structs import replace

from pipedoctor.check.remedy import Remedy
from pipedoctor.lazy_pattern import compile_lazily

_PLACEHOLDER = compile_lazily(
    r"(?<![\w./$%-])(?:COMMAND|DATA|DIR|IMAGE\.sif|NODE|PID|TRAIN|UNIT\.service|(?:hf_)?YOUR_TOKEN)"
    r"(?![\w.=/-])|(?<=deployment/)TRAIN\b|(?<=//)PROXY(?=:)"
)


_HIDDEN_NAME = compile_lazily(r"<(?:user|host|ip|mac|uuid|serial|path)-\d{1,9}>|<secret>")
"""What redaction writes for a name: no shell and no program knows it."""


def describe_hidden_names(*texts: str) -> str:
    """What to put for the names that are hidden in a command, or nothing."""
    found = {match[0]: None for text in texts for match in _HIDDEN_NAME.finditer(text)}
    return f"put the real name for {' and '.join(f'`{name}`' for name in found)}" if found else ""


def mark_placeholders(remedy: Remedy) -> Remedy:
    """Name in the title what is to be replaced, unless it does so already."""
    words = (*remedy.argv, *remedy.snippet.splitlines())
    hidden = describe_hidden_names(*words, *remedy.removes)
    if hidden and hidden not in remedy.title:
        remedy = replace(remedy, title=f"{remedy.title} ({hidden})")
    found = {match[0]: None for word in words for match in _PLACEHOLDER.finditer(word)}
    unsaid = [f"`{name}`" for name in found if name not in remedy.title]
    if not unsaid:
        return remedy
    title = f"{remedy.title} (replace {' and '.join(unsaid)} with yours)"
    return replace(remedy, title=title, advice=True)
