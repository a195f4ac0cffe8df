"""
How much of a line is quoted: whole words.

Of a word that is cut nobody could see any more that its rest is a part of a secret.
"""

_MAX_QUOTE = 500
_MAX_WORD = 300
"""Characters of a word at the end of a quote that is left out where it would be cut."""
_FAR_OFFSET, _CONTEXT_BEFORE = 400, 60
"""Characters into a line that are too far to be seen, and those shown before."""


def cut_context(text: str, start: int) -> str:
    """The line, or of a long one the part around the offset `start`, in characters."""
    if start <= _FAR_OFFSET:
        return text
    space = text.find(" ", start - _CONTEXT_BEFORE, start)
    return f"...{text[space + 1 if space >= 0 else start :]}"


def cut_quote(text: str) -> str:
    """So much of a line as is quoted, in at most 500 characters."""
    if len(text) <= _MAX_QUOTE:
        return text
    whole = text[: _MAX_QUOTE + 1].rpartition(" ")[0]
    return whole if len(whole) > _MAX_QUOTE - _MAX_WORD else text[:_MAX_QUOTE]
