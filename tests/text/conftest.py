"""From a text to a verdict, the whole way that `check --from` takes."""

from collections.abc import Callable

import pytest

from pipedoctor.catalogue import Catalogue, installed
from pipedoctor.examine import Standards, reexamine
from pipedoctor.redact import Level, Redactor
from pipedoctor.report.model import Report

Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return installed()


@pytest.fixture
def judge(catalogue: Catalogue) -> Judge:
    def judge(text: str | bytes, level: Level = Level.ALL) -> Report:
        data = text.encode() if isinstance(text, str) else text
        return reexamine(catalogue, data, None, Standards(redactor=Redactor(level)))

    return judge
