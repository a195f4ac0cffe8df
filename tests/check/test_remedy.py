"""Remedies by place: composed once, filtered by launcher, never run in a wrong one."""

import json
import subprocess
from pathlib import Path

import pytest

from pipedoctor import remedy as old_names
from pipedoctor.check import (
    Lasts,
    Place,
    Remedy,
    compose,
    docker_run,
    environment,
    in_code,
    kubernetes,
    select_remedies,
    shell,
    slurm,
    unit_property,
)
from pipedoctor.check.manifest import render_yaml
from pipedoctor.facts.site import Launcher

GROW = Remedy(
    title="Grow it",
    argv=("grow",),
    undo=("shrink",),
    lasts=Lasts.BOOT,
    fits=(Launcher.BARE,),
)
RELAUNCH = docker_run("Relaunch", "--shm-size=3g")
CODE = in_code("Use fewer workers", "num_workers=2")


@pytest.mark.parametrize(
    ("launcher", "expected"),
    [
        (Launcher.BARE, (GROW, CODE)),
        (Launcher.DOCKER, (RELAUNCH, CODE)),
        (Launcher.KUBERNETES, (CODE,)),
        (Launcher.SLURM, (CODE,)),
    ],
)
def test_only_what_fits_the_place(launcher: Launcher, expected: tuple[Remedy, ...]) -> None:
    assert select_remedies(launcher, GROW, RELAUNCH, CODE) == expected


def test_an_unknown_place_gets_all_named_and_nothing_to_run() -> None:
    grow, relaunch, code = select_remedies(None, GROW, RELAUNCH, CODE)

    assert [grow.title, relaunch.title] == ["Bare metal: Grow it", "Docker: Relaunch"]
    assert GROW.automatic
    assert not grow.automatic
    assert code == CODE


def test_a_label_names_every_place_it_is_for() -> None:
    export, *_ = select_remedies(None, *environment("Set it", A=1))

    assert export.title == "Bare metal or Slurm: Set it"


def test_docker_and_podman_take_the_same_flags() -> None:
    podman = docker_run("Relaunch", "--shm-size=3g", engine="podman")

    assert RELAUNCH.shell == "docker run --shm-size=3g"
    assert podman.shell == "podman run --shm-size=3g"
    assert RELAUNCH.place is Place.LAUNCHER


def test_compose_is_a_service() -> None:
    remedy = compose("Say it in compose.yaml", shm_size="3g", pids_limit=-1)

    assert remedy.snippet == ("services:\n  train:\n    shm_size: 3g\n    pids_limit: -1")


def test_kubernetes_is_a_patch_and_the_same_as_yaml() -> None:
    remedy = kubernetes(
        "Mount a memory volume",
        {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]},
        volumes=[{"name": "shm", "emptyDir": {"medium": "Memory"}}],
    )

    assert (
        remedy.snippet
        == """\
spec:
  containers:
    - name: train
      volumeMounts:
        - name: shm
          mountPath: /dev/shm
  volumes:
    - name: shm
      emptyDir:
        medium: Memory"""
    )
    assert remedy.argv[:5] == ("kubectl", "patch", "deployment", "TRAIN", "--patch")
    assert json.loads(remedy.argv[5])["spec"]["template"]["spec"]["volumes"] == [
        {"name": "shm", "emptyDir": {"medium": "Memory"}}
    ]


def test_slurm_has_the_line_and_the_head_of_the_script() -> None:
    remedy = slurm("Ask for memory", "--mem=32G", "--cpus-per-task=8")

    assert remedy.shell == "sbatch --mem=32G --cpus-per-task=8"
    assert remedy.snippet == "#SBATCH --mem=32G\n#SBATCH --cpus-per-task=8"


def test_environment_is_set_where_the_job_starts() -> None:
    export, docker, pods = environment("Set it", OMP_NUM_THREADS=1, TMPDIR="/a b")

    assert export.snippet == "export OMP_NUM_THREADS=1 'TMPDIR=/a b'"
    assert docker.shell == "docker run -e OMP_NUM_THREADS=1 -e 'TMPDIR=/a b'"
    assert pods.argv[:4] == ("kubectl", "set", "env", "deployment/TRAIN")
    assert pods.argv[4:] == ("OMP_NUM_THREADS=1", "TMPDIR=/a b")


def test_nothing_composed_runs_by_itself() -> None:
    composed = [RELAUNCH, CODE, compose("c", a=1), slurm("s", "-n1")]
    composed += [kubernetes("k", {}), *environment("e", A=1)]

    assert not any(remedy.automatic for remedy in composed)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "plain"),
        ("3g", "3g"),
        ("8Gi", "8Gi"),
        ("/dev/shm", "/dev/shm"),
        (7, "7"),
        ("7", '"7"'),
        ("yes", '"yes"'),
        ("Off", '"Off"'),
        ("a: b", '"a: b"'),
        ("", '""'),
        ("1e3", '"1e3"'),
    ],
)
def test_a_string_stays_a_string(value: str | int, written: str) -> None:
    assert render_yaml({"k": value}) == f"k: {written}"
    assert render_yaml(value) == written
    assert render_yaml([value, {"a": value}]) == f"- {written}\n- a: {written}"


def test_packs_of_the_first_version_find_what_they_import() -> None:
    assert old_names.fitting is select_remedies
    assert all(hasattr(old_names, name) for name in old_names.__all__)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("/a.slice/train.service/memory.max", "sudo systemctl set-property train.service X=1"),
        (
            "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.scope/memory.max",
            "systemctl --user set-property run-u7.scope X=1",
        ),
        (
            "/user.slice/user-1000.slice/user@1000.service/memory.max",
            "sudo systemctl set-property user@1000.service X=1",
        ),
    ],
    ids=["of the machine", "of a user", "the user's systemd itself"],
)
def test_a_unit_is_set_by_the_systemd_that_has_it(file: str, line: str) -> None:
    (remedy,) = unit_property("", f"/sys/fs/cgroup{file}", "X=1")

    assert remedy.shell == line


@pytest.mark.parametrize("interpreter", ["sh", "bash"])
@pytest.mark.parametrize(
    "word",
    [
        "\x1b'$(touch here)'",
        "a\n';touch here;'",
        "\x1b\\';touch here;'",
        "~/\x07'`touch here`'",
        "\udcff' touch here '",
        "$PWD/'; touch here; '",
    ],
)
def test_no_shell_runs_what_a_stranger_wrote_into_a_word(
    interpreter: str, word: str, tmp_path: Path
) -> None:
    """Neither as it is pasted, nor within a line that `sh -c` runs."""
    inner = shell(("printf", "%s", word))
    for line in (inner, shell(("sh", "-c", f"{inner} >/dev/null"))):
        subprocess.run([interpreter, "-c", line], cwd=tmp_path, check=True, capture_output=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("word", ["\x1b'a\\b'", "a\n'b", "\\'\x07", "~/my'set"])
def test_bash_reads_a_word_with_signs_back(word: str) -> None:
    line = shell(("printf", "%s", word))
    read = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True)
    assert read.stdout == word.replace("~", str(Path.home()))
