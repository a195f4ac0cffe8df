"""From a text to a verdict, the whole way that `check --from` takes."""

from collections.abc import Callable

import pytest

from pipedoctor.engine.catalogue import Catalogue, get_catalogue
from pipedoctor.pipeline import CheckPolicy, judge_record
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.model import Report

Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return get_catalogue()


@pytest.fixture
def judge(catalogue: Catalogue) -> Judge:
    def judge(text: str | bytes, level: RedactionLevel = RedactionLevel.ALL) -> Report:
        data = text.encode() if isinstance(text, str) else text
        return judge_record(catalogue, data, None, CheckPolicy(redactor=Redactor(level)))

    return judge
