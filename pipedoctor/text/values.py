"""Values as collectors print them."""

import re

_ABSENT = frozenset(
    (
        *("", "n/a", "none", "no cuda", "could not collect", "no relevant packages"),
        *("not available", "not installed", "no module", "unknown", "<not set>"),
    )
)
_VERSION = re.compile(r"v?(\d+(?:\.\w+)+)(?:\+([\w.\-]{1,80}))?")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def is_absent(value: str | None) -> bool:
    """Does it say nothing, in one of the many words for it?"""
    return value is None or value.strip().lower() in _ABSENT


def is_not_collected(value: str | None) -> bool:
    """Was it asked for and not found: ``Could not collect``?"""
    return value is not None and value.strip().lower() == "could not collect"


def is_no_cuda(value: str | None) -> bool:
    """Does the collector say that no part of CUDA is here at all?"""
    return value is not None and value.strip().lower() == "no cuda"


def split_local_version(value: str | None) -> tuple[str, str]:
    """Read ``2.4.0+cu121``: the version and its local part; empty: it is none."""
    match = _VERSION.match((value or "").strip())
    return (match[1][:80], match[2] or "") if match else ("", "")


def parse_number(value: str | None) -> str:
    """Find the first number with dots: ``12.4`` of ``release 12.4, V12.4.99``."""
    match = _NUMBER.search(value or "")
    return match[0][:40] if match else ""


def parse_yes_no(value: str | None) -> bool | None:
    """Read Yes, True, ``No: torch...``; None: it says neither."""
    word = re.split(r"\W", (value or "").strip().lower(), maxsplit=1)[0]
    return {"yes": True, "true": True, "no": False, "false": False}.get(word)
