"""Remedies of the launcher by the clock: the loader, started with their variables."""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from pipedoctor.check import Counterfactual, Finding
from pipedoctor.fix.clock import fault
from pipedoctor.fix.counter import Counter
from pipedoctor.remedy import Place, Remedy
from pipedoctor.tune.beside import environment
from pipedoctor.tune.probe import Failed
from pipedoctor.tune.proof import Before, Compared, proving
from pipedoctor.tune.session import Lost
from pipedoctor.tune.tuning import Order

_PAIR = re.compile(r"[A-Z_][A-Z0-9_]*=.*")


def variables(findings: Sequence[Finding]) -> dict[str, str]:
    """What the first remedy of the launcher sets for the job; empty: none does."""
    for remedy in (remedy for finding in findings for remedy in finding.remedies):
        if found := _set_by(remedy):
            return found
    return {}


def _set_by(remedy: Remedy) -> dict[str, str]:
    if remedy.place is not Place.LAUNCHER:
        return {}
    exported = remedy.snippet.startswith("export ")
    words = shlex.split(remedy.snippet) if exported else remedy.argv
    return dict(word.split("=", 1) for word in words if _PAIR.fullmatch(word))


def tell(
    desk: Counter,
    order: Order,
    findings: Sequence[Finding],
    *,
    strict: bool,
    first: Before | None = None,
) -> None:
    """
    Measure, and say, what variables save that only the launcher can set.

    `first` is the loader as it is, where it was measured already. A target that cannot
    be read raises the session's Refused.
    """
    values = variables(findings)
    if not values:
        return
    found = _compared(order, values, findings, first)
    order.watch("")
    desk.say(f"with {' '.join(f'{name}={value}' for name, value in values.items())}:")
    why = fault(desk, found, strict=strict)
    if why:
        desk.complain(why)


def _compared(
    order: Order,
    values: Mapping[str, str],
    findings: Sequence[Finding],
    first: Before | None,
) -> Compared:
    """The loader as it is, and one that was started with the variables, in turns."""
    changes = (finding.counterfactual for finding in findings)
    wanted = next(filter(None, changes), None)
    try:
        with _first(order, first) as before, environment(values):
            found = before.compare(wanted or Counterfactual())
    except (Failed, Lost) as reason:
        return Compared(predicted=None, measured=None, why=str(reason))
    if wanted is None:
        return Compared(
            predicted=None, measured=found.measured, pairs=found.pairs, why=found.why
        )
    return found


def _first(order: Order, known: Before | None) -> AbstractContextManager[Before]:
    return proving(order) if known is None else nullcontext(known)
