"""A finding that shows once another is cured is a reason to refuse only if it is graver."""

from pathlib import Path

import pytest

from pipedoctor.check import Finding, Findings, Location, Severity, check, in_code
from pipedoctor.check.edits import edit_arguments
from pipedoctor.collect.plan import CollectionRequest
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts import Facts, Source
from pipedoctor.fix.code.judged_source import CodeWorkspace
from pipedoctor.fix.code.trial import EditOutcome, attempt_edits
from pipedoctor.fix.request.named_checks import Examination

CODE = """\
from torch.utils.data import DataLoader

loader = DataLoader(rows, num_workers=0)
print(loader)
"""


@check("PDR191", "No workers", fix="code")
def cured(source: Source, /) -> Findings:
    for loader in source.loaders:
        if loader.get("num_workers").value == 0:
            remedy = in_code(
                "Add workers", edits=edit_arguments(loader, num_workers="os.cpu_count()")
            )
            spot = Location(path=loader.at.path, line=loader.at.line)
            yield Finding(
                severity=Severity.SLOWS, summary="no workers", location=spot, remedies=(remedy,)
            )


def _attempt(tmp_path: Path, severity: Severity) -> EditOutcome:
    @check("PDR192", "Hidden without workers")
    def hidden(source: Source, /) -> Findings:
        for loader in source.loaders:
            if loader.get("num_workers").value != 0:
                spot = Location(path=loader.at.path, line=loader.at.line)
                yield Finding(severity=severity, summary="it shows", location=spot)

    (tmp_path / "train.py").write_text(CODE)
    catalogue = Catalogue({one.code: one for one in (cured, hidden)})
    examination = Examination(catalogue=catalogue, inquiry=CollectionRequest(quick=True))
    ground = CodeWorkspace.read((str(tmp_path / "train.py"),), examination, Facts())
    return attempt_edits(ground, lambda _: True, unsafe=False, explicit=False)


@pytest.mark.parametrize("severity", [Severity.NOTE, Severity.SLOWS])
def test_what_was_hidden_and_is_no_graver_is_told_not_refused(
    tmp_path: Path, severity: Severity
) -> None:
    outcome = _attempt(tmp_path, severity)

    assert [p.found.check.name for p in outcome.applied] == ["cured"]
    assert [found.check.name for found in outcome.revealed] == ["hidden"]
    assert not outcome.refused


@pytest.mark.parametrize("severity", [Severity.RISKS, Severity.BREAKS])
def test_what_is_graver_is_refused_with_the_line_of_the_users_file(
    tmp_path: Path, severity: Severity
) -> None:
    outcome = _attempt(tmp_path, severity)

    (refused,) = outcome.refused
    assert refused.why == "the edit would cause hidden at train.py:3: it shows"
    assert not outcome.files
