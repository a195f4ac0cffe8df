"""Risks that the user takes on purpose, until a day."""

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pipedoctor.check import Verdict


class AcceptedRisk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whatever this check finds is known and accepted, for a reason."""

    name: str
    reason: str
    until: dt.date | None = None

    def is_valid(self, today: dt.date) -> bool:
        """Does it still hold? The last day counts."""
        return self.until is None or today <= self.until


def accept_risk(verdict: "Verdict", risk: AcceptedRisk | None, today: dt.date) -> "Verdict":
    """Move what is accepted from the findings to the skipped, with the reason."""
    if risk is None or not verdict.findings or not risk.is_valid(today):
        return verdict
    until = f" until {risk.until}" if risk.until else ""
    reason = f"accepted{until}: {risk.reason}"
    return type(verdict)(verdict.code, skipped=reason, accepted=True)


def describe_expired(risks: Mapping[str, AcceptedRisk], today: dt.date) -> dict[str, str]:
    """By code: what to say of a finding that was accepted once."""
    return {
        code: f"was accepted until {risk.until}: {risk.reason}"
        for code, risk in risks.items()
        if not risk.is_valid(today)
    }
