"""The examples on the pages of hazards in code: one shows the hazard, one is free of any."""

from collections.abc import Mapping
from typing import Any

import pytest

from pipedoctor.check import Check
from pipedoctor.check.page import BAD_EXAMPLE, GOOD_EXAMPLE, read_example
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Source
from pipedoctor.facts.source_marks import Minimum
from tests.checks.code_samples import read

HAZARDS = [c for c in get_catalogue().checks.values() if c.needs.get(Source)]
PROJECTS: Mapping[str, Mapping[str, Any]] = {
    "numpy-rng-unseeded": {"torch": Minimum(version="1.8", told="setup.py")},
}
"""What else is known of the project of an example, where its page says so."""


def list_found(check: Check[...], heading: str) -> list[str]:
    """The names of all checks that find something in this example, which its own can judge."""
    code = read_example(check, heading)
    compile(code, check.name, "exec")
    facts = Facts(read(code, **PROJECTS.get(check.name, {})))
    verdicts = {hazard.name: hazard.run(facts) for hazard in HAZARDS}
    own = verdicts[check.name]
    assert not (own.skipped and own.applicable), own.skipped
    return [name for name, verdict in verdicts.items() if verdict.findings]


@pytest.mark.parametrize("check", HAZARDS, ids=lambda check: check.name)
def test_examples_of_a_page(check: Check[...]) -> None:
    assert list_found(check, BAD_EXAMPLE) == [check.name]
    assert list_found(check, GOOD_EXAMPLE) == []
