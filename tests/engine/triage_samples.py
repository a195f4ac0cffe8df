"""A catalogue of made-up checks to rank."""

from typing import TYPE_CHECKING, Any

from pipedoctor.check import (
    Check,
    Finding,
    Findings,
    Severity,
    Verdict,
)
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.triage import RankedFinding

if TYPE_CHECKING:
    from collections.abc import Callable


BREAKS, RISKS, SLOWS, NOTE = (
    Severity.BREAKS,
    Severity.RISKS,
    Severity.SLOWS,
    Severity.NOTE,
)


def made(code: str, *after: str) -> Check[Any]:
    def examine() -> Findings:
        yield from ()

    examine.__name__ = code.lower()
    silent: Callable[..., Findings] = examine
    return Check(code, f"title of {code}", silent, after)


def catalogue(*checks: Check[Any]) -> Catalogue:
    return Catalogue({check.code: check for check in checks})


def says(code: str, severity: Severity, summary: str = "", **more: Any) -> Verdict:
    finding = Finding(severity=severity, summary=summary or code, **more)
    return Verdict(code, (finding,))


def codes(ranked: list[RankedFinding]) -> list[str]:
    return [item.check.code for item in ranked]
