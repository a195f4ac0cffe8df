"""A log that gives away where the job ran gets remedies for that place."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.text import write_first_line
from pipedoctor.facts import Facts, Memory, Shm, Site
from pipedoctor.log.launch_place import LaunchPlaceDetector

HERE = Facts(Site(system="linux"))
ERROR = "RuntimeError: unable to write to file </torch_1_2>: No space left on device\n"
GIB = 1 << 30


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("[pod/trainer-0/main] step 1", "kubernetes"),
        ("pod/trainer-0   0/1   Error   3   2h", "kubernetes"),
        ("kind: Deployment", "kubernetes"),
        ("2025-03-04T05:06:07.123456789Z stderr F Killed", "kubernetes"),
        ("2025-03-04T05:06:07Z stderr file was closed", ""),
        ("kind: of a deployment", ""),
        ("KUBERNETES_SERVICE_HOST=10.0.0.1", "kubernetes"),
        ("#SBATCH --mem=12G", "slurm"),
        ("/var/spool/slurmd/job7/slurm_script: line 9: 77 Killed", "slurm"),
        ("Step 7/9 : RUN python -c 'import cv2'", "docker"),
        ("Step 7/9 : loss 0.3", ""),
        ("    Reason:       OOMKilled", "kubernetes"),
        ("$ kubectl logs trainer-0", "kubernetes"),
        ("slurmstepd: error: Detected 1 oom_kill event", "slurm"),
        ("slurmstepd-node7: error: x", "slurm"),
        ("srun: error: node7: task 3: Exited with exit code 1", "slurm"),
        ("SLURM_JOB_ID=7", "slurm"),
        ("$ docker run --gpus all trainer", "docker"),
        ("$ docker stats --no-stream trainer", "docker"),
        ("docker: Error response from daemon: no", "docker"),
        ("dockerfile_lint: ok", ""),
        ("srun is not here", ""),
        ("the pods are fine", ""),
    ],
)
def test_what_gives_it_away(line: str, place: str) -> None:
    places = LaunchPlaceDetector()
    places.read_line(line)

    assert places.find_place() == place


def test_a_pod_is_a_container_too() -> None:
    places = LaunchPlaceDetector()
    for line in ("docker run x", "[pod/a/b] y", "SLURM_JOB_ID=7"):
        places.read_line(line)

    assert places.find_place() == "kubernetes"


def said(log: str, facts: Facts = HERE) -> str:
    return write_first_line(explain(io.BytesIO(log.encode()), facts=lambda _: facts))


def test_remedies_are_for_where_the_log_is_from() -> None:
    assert said(ERROR).startswith("shm-too-small: docker run --shm-size")
    assert said("$ docker run trainer\n" + ERROR).startswith(
        "shm-too-small: docker run --shm-size="
    )
    assert said(f"[pod/trainer-0/main] {ERROR}").startswith("shm-too-small: kubectl patch")


def test_json_names_both_places() -> None:
    explained = explain(io.BytesIO(f"srun: job 7 queued\n{ERROR}".encode()), facts=lambda _: HERE)

    assert (explained.place, explained.log_place) == ("bare", "slurm")


def test_what_is_so_here_is_cured_here() -> None:
    memory = Memory(total=64 * GIB, available=60 * GIB)
    small = HERE.merge(Shm(size=1 << 20, available=9, remountable=True), memory)

    log = "$ docker run x\n" + ERROR

    (cause,) = explain(io.BytesIO(log.encode()), facts=lambda _: small).causes

    assert said(log, small).startswith("shm-too-small: sudo")
    assert cause.here == "confirmed"
    assert {one.fits for one in cause.remedies if one.for_here} == {(), ("bare",)}


def test_a_job_of_a_cluster_is_not_cured_here() -> None:
    memory = Memory(total=64 * GIB, available=60 * GIB)
    small = HERE.merge(Shm(size=1 << 20, available=9, remountable=True), memory)
    log = f"[pod/trainer-0/main] {ERROR}"

    (cause,) = explain(io.BytesIO(log.encode()), facts=lambda _: small).causes

    assert cause.here == "unknown"
    assert cause.why_here.startswith("the log is from a Kubernetes pod, not from this machine")
    assert said(log, small) == said(log)


def test_nobody_knows_where_we_are_and_all_remedies_are_shown() -> None:
    log = io.BytesIO(f"$ docker run x\n{ERROR}".encode())

    (cause,) = explain(log, facts=lambda _: Facts()).causes

    assert all(remedy.for_here for remedy in cause.remedies)


def test_who_reads_a_log_as_root_need_not_be_root_where_it_is_from() -> None:
    log = "OSError: [Errno 12] Cannot allocate memory\nvm.overcommit_memory = 2\n"
    wanted = "overcommit-refused: {}sysctl -w vm.overcommit_memory=1"

    assert said(log, Facts(Site(system="linux", root=True))).startswith(wanted.format("sudo "))
    assert said(f"root@gpu7:~# python t.py\n{log}").startswith(wanted.format(""))
