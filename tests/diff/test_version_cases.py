"""Real cases of versions: which one was changed is named first."""

from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import (
    Distribution,
    Packages,
    TorchBuild,
)
from tests.diff.compared_facts import fields, packages
from tests.diff.conftest import SITE_PACKAGES, Compare, changed, machine


def test_torch_was_changed(diff: Compare, snapshot: SnapshotAssertion) -> None:
    older = changed(
        TorchBuild(version="2.5.1", local="cu124", cuda="12.4"),
        packages(torch="2.5.1", attrs="25.0.0"),
    )

    said = diff(machine(), older)

    assert said.differences[0].title == "torch-torchvision-mismatch"
    assert said.differences[0].values[0].shown == "healthy"
    assert said.answer == snapshot
    assert said.command.startswith("python -m pip install torchvision==0.20.1")
    assert fields(said)[1:] == [
        "torch.version",
        "torch.cuda",
        "packages.entries[attrs].version",
    ]
    assert {f.field: f.because for f in said.folded} == {
        "torch.local": "follows torch.version",
        "packages.entries[torch].version": "follows torch.version",
    }
    assert said.differences[1].tickets > said.differences[2].tickets > 0


def test_pillow_was_swapped(diff: Compare) -> None:
    swapped = packages(pillow="")
    simd = Distribution(
        name="pillow-simd",
        version="9.5.0.post2",
        location=SITE_PACKAGES,
        installer="pip",
    )

    said = diff(machine(), changed(Packages(entries=(*swapped.entries, simd))))

    assert {"packages.entries[pillow]", "packages.entries[pillow-simd]"} <= {*fields(said)}
    assert said.differences[0].component in {"", "pillow"}
    gone = next(o for o in said.differences if o.field == "packages.entries[pillow]")
    assert [(v.state, v.shown) for v in gone.values] == [
        ("known", "11.0.0"),
        ("missing", "missing"),
    ]


def test_versions_stand_by_how_often_they_break_pipelines(
    diff: Compare, snapshot: SnapshotAssertion
) -> None:
    said = diff(
        machine(),
        changed(packages(attrs="1.0", numpy="2.1.1", pillow="11.0.1", nvidia_cudnn_cu12="9.6")),
    )

    assert [one.component for one in said.differences] == [
        "cudnn",
        "pillow",
        "numpy",
        "",
    ]
    assert said.differences[0].why == snapshot
    assert [one.rank for one in said.differences] == [1, 2, 3, 4]
