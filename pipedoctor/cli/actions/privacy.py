"""How much may be told depends on who reads: a terminal has one reader, a file many."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pipedoctor.cli.terminal import output

if TYPE_CHECKING:
    from pipedoctor.privacy.redactor import RedactionLevel, Redactor
    from pipedoctor.tune.search.tuning import Tuning


def choose_level(target: str | None, *, no_redact: bool) -> "RedactionLevel":
    """What is taken out of what goes to this file, or to stdout."""
    from pipedoctor.privacy.redactor import RedactionLevel

    if no_redact:
        return RedactionLevel.NOTHING
    return RedactionLevel.SECRETS if output.is_terminal(target) else RedactionLevel.ALL


def make_redactor(target: str | None, *, no_redact: bool = False) -> "Redactor":
    """A redactor that knows who works here."""
    from pipedoctor.privacy.redactor import Redactor

    return _add_identities(Redactor(choose_level(target, no_redact=no_redact)))


def redact_message(text: object) -> str:
    """
    Redact the message of somebody else's code for stderr.

    What the user typed is not for this: it is said back as it was typed.
    """
    return redact_texts(make_stderr_redactor(), {"log": str(text)})["log"]


def make_stderr_redactor() -> "Redactor":
    """A redactor for what goes to stderr: a terminal, or a file that many read."""
    from pipedoctor.privacy.redactor import RedactionLevel, Redactor

    seen = sys.stderr.isatty()
    return _add_identities(Redactor(RedactionLevel.SECRETS if seen else RedactionLevel.ALL))


def redact_texts(redactor: "Redactor", texts: Mapping[str, str]) -> dict[str, str]:
    """Texts that belong together: a name in several of them gets one alias."""
    from pipedoctor.facts import Facts

    return redactor.redact_facts(Facts(unknown=texts)).unknown


def redact_tuning(tuning: "Tuning", target: str | None, *, no_redact: bool) -> "Tuning":
    """A tuning as this file, or stdout, may show it."""
    from pipedoctor.facts import Facts, Pipeline

    private = {"trouble": tuning.failure, "bound": tuning.limits.workers_bound}
    private |= {f"said {number}": text for number, text in enumerate(tuning.remarks)}
    facts = make_redactor(target, no_redact=no_redact).redact_facts(
        Facts(tuning.pipeline, unknown=private)
    )
    seen, texts = facts.get(Pipeline) or tuning.pipeline, facts.unknown
    return replace(
        tuning,
        request=replace(tuning.request, target=seen.target),
        pipeline=seen,
        excluding_limits=seen.limits,
        remarks=tuple(texts[f"said {number}"] for number in range(len(tuning.remarks))),
        failure=texts["trouble"],
        limits=replace(tuning.limits, workers_bound=texts["bound"]),
    )


def _add_identities(redactor: "Redactor") -> "Redactor":
    from pipedoctor.cli.request.identities import collect_identities
    from pipedoctor.collect.machine import Machine

    redactor.set_identity(collect_identities(Machine()))
    return redactor
