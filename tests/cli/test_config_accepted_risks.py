"""Accepted risks of the configuration: skipped with their reason until they expire."""

import datetime as dt
from pathlib import Path

import pytest

from pipedoctor.check import Finding, Severity, Verdict
from pipedoctor.cli.request.check_options import CommandLineOptions
from pipedoctor.cli.request.config import merge_config
from pipedoctor.cli.request.config_files import find_config
from pipedoctor.suppress.accepted_risks import (
    AcceptedRisk,
    accept_risk,
    describe_expired,
)
from tests.cli.config_samples import CATALOGUE, write

TODAY = dt.date(2026, 11, 21)


def test_accepted_risks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pipedoctor.toml",
        '[[accept]]\nname = "PDR701"\nreason = "old box"\nuntil = 2027-01-01\n',
    )

    config = merge_config(find_config(str(path)), CommandLineOptions(), lambda: CATALOGUE)

    assert config.accepted == {
        "PDR701": AcceptedRisk(name="PDR701", reason="old box", until=dt.date(2027, 1, 1))
    }


ILL = Verdict("PDR701", (Finding(severity=Severity.RISKS, summary="small"),))
RISK = AcceptedRisk(name="shm-too-small", reason="old box", until=TODAY)


def test_what_is_accepted_is_skipped_with_its_reason() -> None:
    assert accept_risk(ILL, RISK, TODAY) == Verdict(
        "PDR701", skipped="accepted until 2026-11-21: old box", accepted=True
    )
    for_good = AcceptedRisk(name="x", reason="old box")
    assert accept_risk(ILL, for_good, TODAY).skipped == "accepted: old box"


@pytest.mark.parametrize(
    ("verdict", "risk"),
    [
        pytest.param(ILL, None, id="not accepted"),
        pytest.param(
            ILL,
            AcceptedRisk(name="x", reason="y", until=TODAY - dt.timedelta(days=1)),
            id="expired yesterday",
        ),
        pytest.param(Verdict("PDR701"), RISK, id="healthy"),
        pytest.param(Verdict("PDR701", skipped="no facts"), RISK, id="not judged"),
    ],
)
def test_the_rest_stays(verdict: Verdict, risk: AcceptedRisk | None) -> None:
    assert accept_risk(verdict, risk, TODAY) is verdict


def test_what_has_expired_says_so() -> None:
    risks = {"PDR701": RISK, "PDR702": AcceptedRisk(name="x", reason="y")}

    assert describe_expired(risks, TODAY) == {}
    assert describe_expired(risks, TODAY + dt.timedelta(days=1)) == {
        "PDR701": "was accepted until 2026-11-21: old box"
    }
