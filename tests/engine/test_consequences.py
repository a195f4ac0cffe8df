"""What is gone without a folder that should not be there stands under that folder's finding."""

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.consequences import find_consequences
from pipedoctor.engine.runner import run_checks
from pipedoctor.engine.triage import triage
from pipedoctor.facts import (
    Distribution,
    Fact,
    Facts,
    Interpreter,
    Loader,
    Packages,
    Segment,
    Shm,
    TorchBuild,
    TorchImport,
)

USER = "/home/me/.local/lib/python3.11/site-packages"
SITE = "/env/lib/python3.11/site-packages"
NAMES = {"user-site-leak", "pythonpath-leak", "numpy2-abi-mismatch"}
SAID = "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.0"


def look(numpy: str, in_environment: str, *more: Fact, pythonpath: bool = False) -> dict[str, str]:
    """By the finding, what it stands under: the first torch is an old one."""
    place = Interpreter(
        executable="/env/bin/python",
        prefix="/env",
        path=(USER, SITE),
        pythonpath=(USER,) if pythonpath else (),
        user_site="" if pythonpath else USER,
    )
    rows = (
        Distribution(name="torch", version="2.1.0", location=USER),
        Distribution(name="torch", version=in_environment, location=SITE),
        Distribution(name="numpy", version=numpy, location=SITE),
    )
    torch = TorchBuild(version="2.1.0", location=USER)
    facts = Facts(place, Packages(entries=rows), torch, *more)
    catalogue = get_catalogue()
    verdicts = run_checks(catalogue, facts, check_filter=lambda check: check.name in NAMES)
    found = find_consequences(catalogue, facts.merge(*catalogue.tables), verdicts, {})
    return {one.check.name: one.cause for one in triage(catalogue, verdicts, found)}


@pytest.mark.parametrize("pythonpath", [False, True])
def test_the_folder_is_the_cause(*, pythonpath: bool) -> None:
    said = TorchImport(ok=True, version="2.1.0", warnings=(SAID,))

    found = look("2.1.0", "2.4.1", said, pythonpath=pythonpath)

    leak, code = ("pythonpath-leak", "PDR861") if pythonpath else ("user-site-leak", "PDR860")
    assert found == {leak: "", "numpy2-abi-mismatch": code}


def test_what_stays_without_the_folder_has_a_cause_of_its_own() -> None:
    found = look("2.1.0", "2.1.2")

    assert found == {"numpy2-abi-mismatch": "", "user-site-leak": ""}


def fold_under_a_leak(size: int) -> dict[str, str]:
    """By the finding, what it stands under: a leak holds all but 56 MiB of /dev/shm."""
    path, held = "/dev/shm/torch_1_2_3", size - (56 << 20)
    leak = Segment(path=path, size=held, uid=0, pid=1, owner_alive=False, held=False)
    shm = Shm(size=size, available=56 << 20, used=leak.size, segments=(leak,), remountable=True)
    facts = Facts(shm, Loader(num_workers=2, batch_bytes=19 << 20))
    catalogue = get_catalogue()
    names = {"shm-too-small", "leaked-shm-segments"}
    verdicts = run_checks(catalogue, facts, check_filter=lambda check: check.name in names)
    found = find_consequences(catalogue, facts, verdicts, {})
    return {one.check.name: one.cause for one in triage(catalogue, verdicts, found)}


def test_what_is_too_small_without_the_leak_too_keeps_its_own_remedy() -> None:
    assert fold_under_a_leak(256 << 20)["shm-too-small"] == "PDR702"
    assert fold_under_a_leak(100 << 20)["shm-too-small"] == ""


def test_an_import_that_fails_stays_under_the_folder_that_brings_another_torch() -> None:
    place = Interpreter(executable="/env/bin/python", path=(USER, SITE), pythonpath=(USER,))
    rows = (
        Distribution(name="torch", version="2.1.0", location=USER),
        Distribution(name="torch", version="2.4.1", location=SITE),
    )
    failed = TorchImport(ok=False, error="AttributeError: module 'torch' has no attribute 'cuda'")
    facts = Facts(place, Packages(entries=rows), failed)
    catalogue = get_catalogue()
    names = {"pythonpath-leak", "torch-not-importable"}
    verdicts = run_checks(catalogue, facts, check_filter=lambda check: check.name in names)

    found = find_consequences(catalogue, facts, verdicts, {})

    assert [one.cause for one in triage(catalogue, verdicts, found)] == ["", "PDR861"]
