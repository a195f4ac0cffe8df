"""What every check promises, whoever wrote it."""

import re
from typing import Any

import pytest

from pipedoctor.catalogue import installed
from pipedoctor.check import Check
from pipedoctor.facts import Facts

CATALOGUE = installed()
CHECKS = list(CATALOGUE.checks.values())

every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.code)


def test_everything_installed_loads() -> None:
    assert CATALOGUE.broken == ()


@every_check
def test_code_fits_flake8(check: Check[Any]) -> None:
    assert re.fullmatch(r"PDR[1-9][0-9]{2}", check.code)


@every_check
def test_page_has_its_sections(check: Check[Any]) -> None:
    headings = re.findall(r"^## (.+)$", check.doc, flags=re.MULTILINE)

    assert headings == ["Why it hurts", "How it is judged", "Sources"]


@every_check
def test_an_unknown_machine_is_skipped_not_judged(check: Check[Any]) -> None:
    verdict = check.run(Facts())

    assert verdict.skipped
    assert not verdict.findings
