"""The recipes of `judge-a-fleet.md`, each by the launcher that it is for."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "judge-a-fleet.md"
PROGRAM = f"{sys.executable} -m pipedoctor"
pytestmark = pytest.mark.slow


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def recipe(*words: str, folder: Path, language: str = "sh") -> str:
    """The block of the page that has these words, for this folder and this program."""
    (found,) = (b for b in blocks(language) if all(word in b for word in words))
    return found.replace("/shared/fleet", str(folder))


def run(line: str, folder: Path, **more: str) -> "subprocess.CompletedProcess[bytes]":
    """A line of the page, with a `pipedoctor` of this very tree first on PATH."""
    programs = folder.with_name("bin")
    programs.mkdir(exist_ok=True)
    ours = programs / "pipedoctor"
    ours.write_text(f'#!/bin/sh\nexec {PROGRAM} "$@"\n')
    ours.chmod(0o755)
    environ = {**os.environ, **more, "PATH": f"{programs}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", line], env=environ, capture_output=True, check=False, timeout=180
    )


def nodes(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.json"))
    return [json.loads(f.read_bytes())["facts"]["known"]["node"]["name"] for f in files]


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")


def test_mpirun(folder: Path) -> None:
    need("mpirun")
    line = recipe("mpirun", folder=folder).splitlines()[0]

    done = run(
        line.replace("-np 16", "--oversubscribe -np 3"),
        folder,
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )

    assert done.returncode == 0, done.stderr
    assert len(nodes(folder)) == 1


@pytest.mark.torch
def test_torchrun(folder: Path) -> None:
    need("torchrun")
    line = recipe("mpirun", folder=folder).splitlines()[1]

    done = run(line.replace("-node 8", "-node 2"), folder)

    assert done.returncode == 0, done.stderr
    assert len(nodes(folder)) == 1


@pytest.mark.cluster
def test_ansible(folder: Path, tmp_path: Path) -> None:
    need("ansible-playbook")
    play, hosts = tmp_path / "play.yml", tmp_path / "hosts"
    (source,) = (b for b in blocks("yaml") if "hosts: all" in b)
    play.write_text(source)
    python = f"ansible_python_interpreter={sys.executable}"
    hosts.write_text(f"one ansible_connection=local {python}\n")

    done = run(
        f"ansible-playbook -i {hosts} {play} -e fleet={folder}",
        folder,
        LC_ALL="C.UTF-8",
        NODE_NAME="one",
    )

    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert nodes(folder) == ["one"]


@pytest.mark.extended
def test_ssh_without_a_shared_folder(folder: Path, tmp_path: Path) -> None:
    """Files named after hosts, and reports that do not name their node."""
    programs = tmp_path / "bin"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text('#!/bin/sh\nshift\nexec "$@"\n')
    ssh.chmod(0o755)
    (tmp_path / "hosts").write_text("a1\na2\n")
    (line,) = (b for b in blocks("sh") if "ssh" in b)
    line = line.replace("fleet/$host", f"{folder}/$host").replace(
        "cat hosts", f"cat {tmp_path}/hosts"
    )

    done = run(line, folder)
    shown = run(f"pipedoctor fleet show {folder} --format json", folder)

    assert done.returncode == 0, done.stderr
    found = json.loads(shown.stdout)["nodes"]
    assert [one["node"] for one in found] == ["a1", "a2"]


@pytest.mark.parametrize("kind", ["DaemonSet", "Job"])
def test_manifests_fit_the_schemas_of_kubernetes(kind: str) -> None:
    pytest.importorskip("kubernetes_validate")
    (block,) = (b for b in blocks("yaml") if f"kind: {kind}" in b)
    manifest: dict[str, Any] = yaml.safe_load(block)

    import_module("kubernetes_validate").validate(manifest, "1.34", strict=True)


CONF = """
ClusterName=test
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=17817
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d-%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
Prolog={folder}/prolog.sh
PrologFlags=Alloc
NodeName=n[1-3] NodeHostname=localhost Port=[17901-17903] CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path: Path, folder: Path) -> Iterator[Mapping[str, str]]:
    """A controller and three nodes, all on this machine; what commands need of it."""
    need("slurmctld")
    need("slurmd")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons need root")
    place = tmp_path / "slurm"
    for name in ("state", "spool-n1", "spool-n2", "spool-n3"):
        (place / name).mkdir(parents=True)
    conf = place / "slurm.conf"
    conf.write_text(CONF.format(folder=place))
    prolog = recipe("timeout 30", folder=folder)
    prolog = prolog.replace("pipedoctor", PROGRAM)
    kept = "".join(
        f"export {name}='{os.environ[name]}'\n" for name in ("PYTHONPATH",) if name in os.environ
    )
    first, _, rest = prolog.partition("\n")
    (place / "prolog.sh").write_text(f"{first}\n{kept}{rest}")
    (place / "prolog.sh").chmod(0o755)
    lines: list[list[Any]] = [["slurmctld", "-D", "-f", conf]]
    lines += [["slurmd", "-D", "-f", conf, "-N", f"n{n}"] for n in (1, 2, 3)]
    with (place / "log").open("wb") as log:
        running = [subprocess.Popen(line, stdout=log, stderr=log) for line in lines]
        environ = {"SLURM_CONF": str(conf)}
        until = time.monotonic() + 30
        while time.monotonic() < until:
            asked = run("sinfo -h -t idle -o %D", folder, **environ)
            if asked.stdout.strip() == b"3":
                break
            time.sleep(0.5)
        yield environ
        for process in running:
            process.terminate()
        for process in running:
            process.wait(30)


@pytest.mark.cluster
def test_slurm_before_a_job_and_in_a_step(slurm: Mapping[str, str], folder: Path) -> None:
    job = run("srun -N3 true", folder, **slurm)
    before = nodes(folder)
    for file in folder.iterdir():
        file.unlink()
    line, show, *_ = recipe("srun", "sinfo", folder=folder).splitlines()
    line = line.replace("--nodes=500 --ntasks-per-node=1", "-N3 --ntasks-per-node=2")

    step = run(line, folder, **slurm)
    shown = run(f"{show} --format json", folder, **slurm)

    assert (job.returncode, before) == (0, ["n1", "n2", "n3"]), job.stderr
    assert step.returncode == 0, step.stderr
    assert set(nodes(folder)) == {"n1", "n2", "n3"}
    assert json.loads(shown.stdout)["missing"] == []


@pytest.mark.cluster
def test_a_prolog_that_cannot_write_drains_nobody(slurm: Mapping[str, str], folder: Path) -> None:
    shutil.rmtree(folder)

    done = run("srun -N3 true", folder, **slurm)
    states = run("sinfo -h -o %T", folder, **slurm)

    assert done.returncode == 0, done.stderr
    assert b"drain" not in states.stdout


@pytest.mark.cluster
def test_what_drains_a_node_is_what_slurm_takes(slurm: Mapping[str, str], folder: Path) -> None:
    for number in range(1, 41):
        size = 1 << 20 if number == 2 else 1 << 40
        known = {"node": {"name": f"n{number}"}, "shm": {"size": size}}
        content = {
            "schema": "pipedoctor.report/1",
            "created": "2026-01-01T00:00:00Z",
            "facts": {"known": known, "unknown": {}},
        }
        (folder / f"n{number}.json").write_text(json.dumps(content))

    lines = run(f"pipedoctor fleet show {folder} --format slurm", folder)
    done = run(lines.stdout.decode(), folder, **slurm)
    asked = run("sinfo -h -R -o '%N %E'", folder, **slurm)

    assert done.returncode == 0, done.stderr
    assert asked.stdout.startswith(b"n2 pipedoctor: shm.size is 1.0 MiB")
