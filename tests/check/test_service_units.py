"""What a shell would set is written into the unit of a service, as it is typed."""

import subprocess
from pathlib import Path

import pytest

from pipedoctor.check import Lasts, Place, Remedy
from pipedoctor.check.project_names import put_names
from pipedoctor.facts import Launcher

UNIT = {"unit": "train@0.service"}


def remedy(argv: str = "", snippet: str = "", **values: object) -> Remedy:
    fields = {"place": Place.LAUNCHER, "lasts": Lasts.PROCESS, **values}
    return Remedy(title="x", argv=tuple(argv.split()), snippet=snippet, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        (remedy("ulimit -n 65536"), ["LimitNOFILE=65536"]),
        (remedy("ulimit -u unlimited"), ["LimitNPROC=infinity"]),
        (
            remedy("ulimit -l unlimited", fits=(Launcher.BARE, Launcher.SLURM)),
            ["LimitMEMLOCK=infinity"],
        ),
        (remedy("env -u LD_LIBRARY_PATH python train.py"), ["UnsetEnvironment=LD_LIBRARY_PATH"]),
        (remedy("unset CUDA_VISIBLE_DEVICES"), ["UnsetEnvironment=CUDA_VISIBLE_DEVICES"]),
        (remedy(snippet="export A=1\nexport B=/x"), ["Environment=A=1", "Environment=B=/x"]),
    ],
)
def test_a_drop_in(given: Remedy, settings: list[str], tmp_path: Path) -> None:
    put = put_names(given, UNIT)
    folder, write, restart = put.snippet.splitlines()
    line = write.replace("sudo ", "").replace("/etc/systemd/system", str(tmp_path))
    made = folder.removeprefix("sudo ").replace("/etc/systemd/system", str(tmp_path))

    subprocess.run(["bash", "-ec", f"{made}\n{line}"], check=True, capture_output=True)

    written = (tmp_path / "train@0.service.d" / "pipedoctor.conf").read_text()
    assert written.splitlines() == ["[Service]", *settings]
    assert restart.endswith("systemctl restart train@0.service")


@pytest.mark.parametrize(
    "given",
    [
        remedy("ulimit -n 65536", fits=(Launcher.SLURM,)),
        remedy(snippet="export A=$(nproc)"),
        remedy(snippet="export A=50%"),
        remedy("pip install torch"),
        remedy(snippet="export A=1", place=Place.CODE),
    ],
)
def test_what_is_no_setting_of_a_service_stays(given: Remedy) -> None:
    assert put_names(given, UNIT) == given


def test_an_example_gets_the_name_of_the_unit() -> None:
    given = remedy(snippet="# /etc/systemd/system/UNIT.service.d/nofile.conf")

    assert "system/train@0.service.d/nofile" in put_names(given, UNIT).snippet
