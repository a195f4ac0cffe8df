"""Choose checks by what users type: a code, a name or the beginning of codes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipedoctor.check import Check
    from pipedoctor.engine.catalogue import Catalogue
    from pipedoctor.engine.runner import CheckFilter


class UnknownNameError(Exception):
    """No check has this name; the message suggests the closest one."""


def select_checks(
    catalogue: "Catalogue", select: Iterable[str], ignore: Iterable[str]
) -> "CheckFilter":
    """Those selected (none named: all) but not ignored; raises UnknownNameError."""
    wanted = resolve_codes(catalogue, select)
    unwanted = resolve_codes(catalogue, ignore)

    def is_selected(check: "Check[Any]") -> bool:
        return check.code not in unwanted and (not wanted or check.code in wanted)

    return is_selected


def resolve_codes(catalogue: "Catalogue", texts: Iterable[str]) -> set[str]:
    """Codes of all checks that these comma-separated names and prefixes mean."""
    names = [name.strip() for text in texts for name in text.split(",")]
    return {code for name in names if name for code in _match_codes(catalogue, name)}


def suggest_name(name: str, choices: Iterable[str]) -> str:
    """``; did you mean `this`?``, or empty where nothing is close."""
    import difflib  # noqa: PLC0415  (only after a mistake)

    close = difflib.get_close_matches(name, list(choices), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def suggest_check(catalogue: "Catalogue", name: str) -> str:
    """``; did you mean `this`?``; else the packs that could not be loaded, and why."""
    choices = (*catalogue.by_name, *catalogue.checks)
    close = suggest_name(name.lower(), choices) or suggest_name(name.upper(), choices)
    return close or "".join(
        f"; pack {broken.pack} could not be loaded: {broken.reason}" for broken in catalogue.broken
    )


def _match_codes(catalogue: "Catalogue", name: str) -> list[str]:
    check = catalogue.find_check(name)
    if check is not None:
        return [check.code]
    found = [code for code in catalogue.checks if code.startswith(name.upper())]
    if not found:
        close = suggest_check(catalogue, name)
        message = f"{name!r} is not the name, code or code prefix of a check{close}"
        raise UnknownNameError(message)
    return found
