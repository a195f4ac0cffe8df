"""Choose checks by what users type: a code, a name or the beginning of codes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipedoctor.catalogue import Catalogue
    from pipedoctor.check import Check
    from pipedoctor.judge import Chosen


class UnknownName(Exception):  # noqa: N818  (what it is, in words for the user)
    """Nobody is called so; the message suggests who may be meant."""


def selection(
    catalogue: "Catalogue", select: Iterable[str], ignore: Iterable[str]
) -> "Chosen":
    """Those selected (none named: all) but not ignored; raises UnknownName."""
    wanted = codes(catalogue, select)
    unwanted = codes(catalogue, ignore)

    def chosen(check: "Check[Any]") -> bool:
        return check.code not in unwanted and (not wanted or check.code in wanted)

    return chosen


def codes(catalogue: "Catalogue", texts: Iterable[str]) -> set[str]:
    """Codes of all checks that these comma-separated names and prefixes mean."""
    names = [name.strip() for text in texts for name in text.split(",")]
    return {code for name in names if name for code in _meant(catalogue, name)}


def suggestion(name: str, choices: Iterable[str]) -> str:
    """``; did you mean `this`?``, or empty where nothing is close."""
    import difflib  # noqa: PLC0415  (only after a mistake)

    close = difflib.get_close_matches(name, list(choices), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _meant(catalogue: "Catalogue", name: str) -> list[str]:
    check = catalogue.find(name)
    if check is not None:
        return [check.code]
    found = [code for code in catalogue.checks if code.startswith(name.upper())]
    if not found:
        choices = (*catalogue.by_name, *catalogue.checks)
        close = suggestion(name.lower(), choices) or suggestion(name.upper(), choices)
        message = f"{name!r} is no name, code or beginning of a code of a check{close}"
        raise UnknownName(message)
    return found
