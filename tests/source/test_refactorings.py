"""A hazard is found however its code is arranged: the examples of all pages, refactored."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pipedoctor.check.model import Check
from pipedoctor.check.page import BAD_EXAMPLE, read_example
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Source
from tests.checks.code_samples import read
from tests.checks.test_examples import PROJECTS
from tests.source.refactored_syntax import Files, ground
from tests.source.refactorings import REFACTORINGS

HAZARDS = [c for c in get_catalogue().checks.values() if c.needs.get(Source)]
EXEMPT: Mapping[str, str] = {
    "drop-last-on-eval-rename": "that it evaluates shows in a name alone",
    "drop-last-on-eval-hold_in_object": "it is called train then",
    "drop-last-on-eval-keep_in_dictionary": "it is called train then",
    "drop-last-on-eval-keep_in_list": "that it evaluates shows in a name alone",
    "drop-last-on-eval-make_in_property": "it is called train then",
    "drop-last-on-eval-make_by_comprehension": "it is called train then",
    "drop-last-on-eval-choose_maker": "that it evaluates shows in a name alone",
    "drop-last-on-eval-make_in_base_class": "that it evaluates shows in a name alone",
    "drop-last-on-eval-return_beside": "that it evaluates shows in a name alone",
    "loader-in-epoch-loop-make_in_property": "it is made once then",
    "num-workers-hardcoded-keep_in_configuration": "a configuration is no constant of the code",
    "main-guard-move_into_trainer": "it stands under the main guard then",
    "main-guard-train_in_hook": "it stands under the main guard then",
}
"""Cases where the refactored code does not have the hazard, or cannot be known to."""


def list_cases(check: Check[Any]) -> Iterator[tuple[str, Files]]:
    code = ground(read_example(check, BAD_EXAMPLE))
    for refactor in REFACTORINGS:
        files = refactor(code)
        if files is not None and f"{check.name}-{refactor.__name__}" not in EXEMPT:
            yield refactor.__name__, files


@pytest.mark.parametrize("check", HAZARDS, ids=lambda check: check.name)
def test_refactored_examples(check: Check[Any]) -> None:
    cases = list(list_cases(check))
    assert cases
    for how, files in cases:
        for path, text in files.items():
            compile(text, path, "exec")
        facts = Facts(read(files, **PROJECTS.get(check.name, {})))
        found = [hazard.name for hazard in HAZARDS if hazard.run(facts).findings]
        assert found == [check.name], "\n\n".join([how, *files.values()])
