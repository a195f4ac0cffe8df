"""What nobody asked for is no gap; what could not be read is one."""

import pytest

from pipedoctor.check import Findings, check
from pipedoctor.facts import (
    Accelerators,
    Conda,
    DataSets,
    Fact,
    Facts,
    Gpu,
    LiveJob,
    PciDevice,
    Pipeline,
    Shm,
    Source,
)
from pipedoctor.facts.applicability import (
    NO_LIBRARY,
    NOT_REQUESTED,
    CodeSubject,
    is_applicable,
)
from pipedoctor.facts.source import Dataset, LoaderCall, Loop, Skipped, Spot
from pipedoctor_checks.loader.num_workers_zero import num_workers_zero

SPOT = Spot(path="a.py", line=1)
CARD = PciDevice(vendor="10de", device="2330")
LOADER = LoaderCall(at=SPOT, name="torch.utils.data.DataLoader")


@pytest.mark.parametrize(
    ("kind", "reason", "gap"),
    [
        pytest.param(DataSets, NOT_REQUESTED["datasets"], False, id="no option asks for it"),
        pytest.param(DataSets, "the disk does not answer", True, id="it was asked for"),
        pytest.param(LiveJob, None, False, id="no job is watched"),
        pytest.param(Pipeline, "the target crashed", True, id="it was measured in vain"),
        pytest.param(Shm, None, True, id="a machine has it"),
        pytest.param(Shm, "--quick", True, id="left out for speed"),
        pytest.param(Conda, "/opt/venv is not a conda environment", False, id="no conda"),
        pytest.param(Conda, "cannot be read", True, id="conda unreadable"),
    ],
)
def test_is_it_a_gap(kind: type[Fact], reason: str | None, gap: bool) -> None:
    unknown = {} if reason is None else {kind.section: reason}

    assert is_applicable(Facts(unknown=unknown), kind) is gap


@pytest.mark.parametrize(
    ("seen", "gap"),
    [
        pytest.param(Accelerators(pci=()), False, id="no GPU"),
        pytest.param(Accelerators(pci=(CARD,)), True, id="a card without its library"),
        pytest.param(Accelerators(pci=None), True, id="the bus could not be read"),
        pytest.param(Accelerators(pci=(), nvidia_nodes=("/dev/nvidia0",)), True, id="a node"),
        pytest.param(None, True, id="nobody looked"),
    ],
)
def test_without_a_driver_library_it_depends_on_the_hardware(
    seen: Accelerators | None, gap: bool
) -> None:
    facts = Facts(*([] if seen is None else [seen]), unknown={"gpu": NO_LIBRARY})

    assert is_applicable(facts, Gpu) is gap


def _silent(subject: CodeSubject, source: Source) -> tuple[str, bool]:
    @check("EX1", "An example", subject=subject)
    def example(_source: Source, /) -> Findings:
        yield from ()

    verdict = example.run(Facts(source))
    return verdict.skipped, verdict.applicable


@pytest.mark.parametrize(
    ("subject", "source", "skipped"),
    [
        ("", Source(), "PATHS hold no code that uses torch"),
        ("loader", Source(), "PATHS hold no code that uses torch"),
        ("", Source(files=1, parsed=1), ""),
        ("loader", Source(files=1, parsed=1), "PATHS create no DataLoader"),
        ("loader", Source(files=1, parsed=1, loaders=(LOADER,)), ""),
        ("item", Source(files=1, parsed=1), "PATHS hold no dataset"),
        ("item", Source(files=1, parsed=1, datasets=1), ""),
        ("item", Source(files=1, parsed=1, loaders=(LOADER,)), ""),
        ("loop", Source(files=1, parsed=1, loaders=(LOADER,)), "PATHS hold no loop over batches"),
        ("loop", Source(files=1, parsed=1, loops=(Loop(at=SPOT),)), ""),
    ],
)
def test_a_silent_check_of_code_needs_something_to_judge(
    subject: CodeSubject, source: Source, skipped: str
) -> None:
    assert _silent(subject, source) == (skipped, not skipped)


def test_code_that_nobody_could_read_is_a_gap() -> None:
    source = Source(files=1, skipped=(Skipped(path="a.py", reason="not Python"),))

    assert _silent("loader", source) == ("source: a.py: not Python", True)


def test_what_is_found_stands_whatever_else_is_there() -> None:
    photos = LoaderCall(
        at=SPOT, name="torch.utils.data.DataLoader", dataset=Dataset(name="p.Photos")
    )
    verdict = num_workers_zero.run(Facts(Source(files=1, parsed=1, loaders=(photos,))))

    assert verdict.findings
    assert verdict.applicable
