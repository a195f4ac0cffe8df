"""No safe edit overrides what somebody has written on purpose."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Source
from tests.checks.code_samples import HEAD, find

CHECKS = {c.name: c for c in get_catalogue().checks.values() if c.needs.get(Source)}
TRAINING = """
class Photos(Dataset):
    def __init__(self, files):
        self.files = files
    def __len__(self):
        return len(self.files)
    def __getitem__(self, index):
        return Image.open(self.files[index])

def main(files, net):
    loader = DataLoader(Photos(files), 64, num_workers=4{more})
    for epoch in range(9):
        for x in loader:
            y = net(x.to("cuda"{copy}))
            y.backward()
"""
CHOICES = {
    "not pinned": (", shuffle=True, pin_memory=False", "", "pin-memory-missing"),
    "copies that wait": (
        ", shuffle=True, pin_memory=True",
        ", non_blocking=False",
        "pinned-blocking",
    ),
    "workers that end": (
        ", shuffle=True, pin_memory=True, persistent_workers=False",
        ", non_blocking=True",
        "persistent-workers-missing",
    ),
}


@pytest.mark.parametrize(("more", "copy", "name"), CHOICES.values(), ids=CHOICES)
def test_no_safe_edit_overrides_a_choice(more: str, copy: str, name: str) -> None:
    findings = find(CHECKS[name], TRAINING.format(more=more, copy=copy))

    remedies = [remedy for one in findings for remedy in one.remedies]
    assert remedies
    assert not [one for one in remedies if one.edits and not one.unsafe]
    assert all("is set explicitly" in one.unsafe + one.kept for one in remedies)


@pytest.mark.parametrize("name", ["pin-memory-missing", "pinned-blocking"])
def test_what_nobody_has_chosen_is_changed_safely(name: str) -> None:
    more = ", shuffle=True" + ", pin_memory=True" * (name == "pinned-blocking")
    findings = find(CHECKS[name], TRAINING.format(more=more, copy=""))

    assert [one for f in findings for one in f.remedies if one.edits and not one.unsafe]


@pytest.mark.parametrize(
    ("context", "severity"),
    [
        ("'spawn'", Severity.BREAKS),
        ("torch.multiprocessing.get_context('forkserver')", Severity.BREAKS),
        ("'fork'", Severity.NOTE),
    ],
)
def test_a_loader_may_have_a_start_method_of_its_own(context: str, severity: Severity) -> None:
    code = (
        "net = torch.load('net.pt').cuda()\n"
        f"loader = DataLoader(rows, num_workers=2, multiprocessing_context={context})\n"
        "for x in loader:\n    net(x).backward()\n"
    )
    (finding,) = find(CHECKS["main-guard"], code)

    assert finding.severity is severity
    first = min(edit.line for one in finding.remedies for edit in one.edits)
    assert (HEAD + code).splitlines()[first - 1].startswith("net = torch.load")
