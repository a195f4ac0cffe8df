"""
Secrets in command lines that no name stands beside: ``curl -u bob:x``, ``-px``.

Where each command takes its secret is in `command_forms`.
"""

import re

from pipedoctor.privacy.command_forms import COMMAND_FORMS

_ASCII_FORMS = tuple(form for form in COMMAND_FORMS if "".join(form.marks).isascii())
"""Most texts are ASCII, and few forms can stand in no such text."""
_FORMS_WITHOUT_OPTION = tuple(form for form in COMMAND_FORMS if not form.has_option)
_MARKS_WITHOUT_OPTION = tuple(
    mark for form in _FORMS_WITHOUT_OPTION for mark in form.marks if mark.isascii()
)


def mask_commands(text: str, mask: str) -> str:
    """Put `mask` in place of secrets that stand where a command takes them."""
    if not text.isascii():
        forms = COMMAND_FORMS
    elif " -" in text or text[:1] == "-" or "'-p" in text:
        forms = _ASCII_FORMS
    elif _has_mark(text, _MARKS_WITHOUT_OPTION):
        forms = _FORMS_WITHOUT_OPTION
    else:
        return text
    for form in forms:
        if _has_mark(text, form.marks):
            text = re.sub(form.pattern, rf"\g<1>{mask}", text)
    return text


def _has_mark(text: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110  (a generator takes four times as long)
        if mark in text:
            return True
    return False
