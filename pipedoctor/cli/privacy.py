"""How much may be told depends on who reads: a terminal has one reader, a file many."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pipedoctor.cli import output

if TYPE_CHECKING:
    from pipedoctor.redact import Level, Redactor
    from pipedoctor.tune.tuning import Tuning


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
    from pipedoctor.redact import Level, Redactor

    seen = sys.stderr.isatty()
    one = _meeting(Redactor(Level.SECRETS if seen else Level.ALL))
    return texts(one, {"log": str(text)})["log"]


def texts(redactor: "Redactor", said: Mapping[str, str]) -> dict[str, str]:
    """Texts that belong together: a name in several of them gets one alias."""
    from pipedoctor.facts import Facts

    return redactor.facts(Facts(unknown=said)).unknown


def tuned(found: "Tuning", target: str | None, *, no_redact: bool) -> "Tuning":
    """A tuning as this file, or stdout, may show it."""
    from pipedoctor.facts import Facts, Pipeline

    private = {"trouble": found.trouble, "bound": found.bounds.workers_bound}
    private |= {f"said {number}": text for number, text in enumerate(found.said)}
    facts = redactor(target, no_redact=no_redact).facts(
        Facts(found.seen, unknown=private)
    )
    seen, said = facts.get(Pipeline) or found.seen, facts.unknown
    return replace(
        found,
        order=replace(found.order, target=seen.target),
        seen=seen,
        skipped=seen.limits,
        said=tuple(said[f"said {number}"] for number in range(len(found.said))),
        trouble=said["trouble"],
        bounds=replace(found.bounds, workers_bound=said["bound"]),
    )


def _meeting(redactor: "Redactor") -> "Redactor":
    from pipedoctor.cli import inquiry
    from pipedoctor.collect.machine import Machine

    redactor.meet(inquiry.who(Machine()))
    return redactor
