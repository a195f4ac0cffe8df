"""How much may be told depends on who reads: a terminal has one reader, a file many."""

import sys
from typing import TYPE_CHECKING

from pipedoctor.cli import output

if TYPE_CHECKING:
    from pipedoctor.redact import Level, Redactor


def level(target: str | None, *, no_redact: bool) -> "Level":
    """What is taken out of what goes to this file, or to stdout."""
    from pipedoctor.redact import Level

    if no_redact:
        return Level.NOTHING
    return Level.SECRETS if output.on_terminal(target) else Level.ALL


def redactor(target: str | None, *, no_redact: bool = False) -> "Redactor":
    """A redactor that knows who works here."""
    from pipedoctor.redact import Redactor

    return _meeting(Redactor(level(target, no_redact=no_redact)))


def overheard(text: object) -> str:
    """
    What somebody else's code said, as stderr may show it.

    What the user typed is not for this: it is said back as it was typed.
    """
    from pipedoctor.facts import Facts
    from pipedoctor.redact import Level, Redactor

    seen = sys.stderr.isatty()
    one = _meeting(Redactor(Level.SECRETS if seen else Level.ALL))
    return one.facts(Facts(unknown={"log": str(text)})).unknown["log"]


def _meeting(redactor: "Redactor") -> "Redactor":
    from pipedoctor.cli import inquiry
    from pipedoctor.collect.machine import Machine

    redactor.meet(inquiry.who(Machine()))
    return redactor
